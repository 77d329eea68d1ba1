
-- How often did each task pass, by whose verdict?
SELECT experiment, model, judge, task,
       COUNT(*) AS asked,
       COUNT(success) AS n,
       COALESCE(SUM(success), 0e0) AS c
FROM judgements
GROUP BY experiment, model, judge, task
ORDER BY experiment NULLS LAST, model NULLS LAST, judge NULLS LAST, task
