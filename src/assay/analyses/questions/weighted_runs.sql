
-- Which evaluations were marked down, and which of the others are the best?
SELECT experiment, model, judge, attempt, task_id, score, step, weighted, penalty,
       real_tools, total_steps
FROM judgements
WHERE weighted IS NOT NULL
  AND ($which = 'all' OR ($which = 'penalised') = (penalty IS NOT NULL))
ORDER BY CASE WHEN penalty IS NULL THEN 1 ELSE 0 END,
         CASE WHEN penalty IS NULL THEN weighted ELSE score END DESC NULLS LAST,
         place, judgement
LIMIT $limit
