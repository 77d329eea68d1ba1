-- Which calls failed, and how did each episode end?
SELECT model, task_id, attempt, run_key, position, server, tool, blame, kind, failures, attempts,
       ending
FROM failure_episodes
WHERE counted
  AND ($ending = 'all' OR ending = $ending
       OR ($ending = 'corrected' AND ending IN ('changed', 'waited')))
  AND ($ending <> 'corrected' OR attempts > 0)
ORDER BY place NULLS LAST, model NULLS LAST, task_id NULLS LAST, attempt NULLS LAST, run_key,
         position
LIMIT $limit
