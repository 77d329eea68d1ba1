,
-- How high are the scores? Read on in means.sql.
valued AS (
    SELECT experiment, model, task, score, step, success,
           CASE WHEN $by_judge THEN judge END AS group_judge,
           CASE WHEN $by_attempt THEN attempt END AS group_attempt,
           CASE WHEN COALESCE(score, step, success) IS NOT NULL THEN 1e0 END AS judged
    FROM judgements
)
