-- One row a run with calls that count: how many, and how many of them failed.
SELECT run_key, MIN(model) AS model, MIN(task_id) AS task_id, MIN(attempt) AS attempt,
       COUNT(*) AS calls,
       SUM(CASE WHEN failed THEN 1 ELSE 0 END) AS failures,
       MIN(place) AS place
FROM calls
WHERE counted
GROUP BY run_key
