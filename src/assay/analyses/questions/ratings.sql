-- What every judge said of every run, one line each; the runs are known by the file they were
-- recorded in where the judge named it, else by task and pass. Our own judges say it in scores:
-- the latest of each judge counts, and a judged score from $passing up is a pass. Recorded
-- outcomes are a rater of the name $outcomes, unless that is empty.
WITH recorded AS (
    SELECT *, COALESCE(task_id, run_key) AS unit,
           COUNT(*) OVER (PARTITION BY experiment, model, task_id, attempt) AS alike
    FROM runs
),
own AS (
    SELECT run_key, judge, value, score_key,
           ROW_NUMBER() OVER (PARTITION BY run_key, judge ORDER BY scored_at DESC, score_key) AS age
    FROM stored_scores
    WHERE name = 'judged' AND judge <> '' AND value IS NOT NULL
      AND (NOT EXISTS (SELECT 1 FROM chosen WHERE filter = 'judges')
           OR LOWER(judge) IN (SELECT value FROM chosen WHERE filter = 'judges'))
)
SELECT experiment, model, judge, task_id, attempt,
       CASE WHEN trajectory LIKE 'trajectory%.json' THEN trajectory END AS trajectory,
       COALESCE(task_id, trajectory, evaluation_key) AS task,
       success, final_answer_score AS score, average_step_score AS step,
       evaluation_key AS mark_key
FROM evaluations
WHERE error IS NULL
UNION ALL
SELECT recorded.experiment, recorded.model, own.judge, recorded.task_id, recorded.attempt,
       CASE WHEN recorded.alike > 1 THEN recorded.run_key END, recorded.unit,
       own.value >= $passing, own.value, CAST(NULL AS DOUBLE), own.score_key
FROM own JOIN recorded ON recorded.run_key = own.run_key
WHERE own.age = 1
UNION ALL
SELECT experiment, model, $outcomes, task_id, attempt,
       CASE WHEN alike > 1 THEN run_key END, unit,
       outcome_success, CAST(NULL AS DOUBLE), CAST(NULL AS DOUBLE), run_key
FROM recorded
WHERE $outcomes <> '' AND outcome_success IS NOT NULL
ORDER BY experiment NULLS LAST, model NULLS LAST, task_id NULLS LAST, attempt NULLS LAST,
         trajectory NULLS LAST, judge NULLS LAST, mark_key
