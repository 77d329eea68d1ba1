-- What was said of each run, by whom: recorded evaluations, and outcomes of the runs themselves.
-- The beginning of every question about scores, which reads on from `judgements`. A run without a
-- task id is of the task that its question words, as everywhere; the seed asks for no runs here.
WITH said AS (
    SELECT experiment, model, judge, task_id, attempt, query,
           evaluation_key AS judgement,
           COALESCE(task_id, evaluation_key) AS task,
           REPLACE(source_path, '/', CHR(1)) AS place,
           CASE WHEN success THEN 1e0 WHEN NOT success THEN 0e0 END AS success,
           COALESCE(final_answer_score, CAST($missing AS DOUBLE)) AS score,
           COALESCE(average_step_score, CAST($missing AS DOUBLE)) AS step,
           COALESCE(real_tools, CAST($missing AS BIGINT)) AS real_tools,
           COALESCE(total_steps, CAST($missing AS BIGINT)) AS total_steps,
           error,
           CAST(NULL AS VARCHAR(1)) AS recorded_run
    FROM evaluations
    UNION ALL
    SELECT experiment, model, COALESCE(outcome_decided_by, 'the recording'), task_id, attempt,
           input, run_key, COALESCE(task_id, NULLIF(input, ''), run_key), run_key,
           CASE WHEN outcome_success THEN 1e0 WHEN NOT outcome_success THEN 0e0 END,
           outcome_score, CAST(NULL AS DOUBLE), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT),
           CAST(NULL AS VARCHAR(1)), run_key
    FROM runs
    WHERE $outcomes IN ('all', 'unjudged')
      AND (outcome_success IS NOT NULL OR outcome_score IS NOT NULL)
      AND ($outcomes = 'all'
           OR CONCAT(COALESCE(experiment, ''), CHR(1), COALESCE(model, '')) NOT IN (
               SELECT CONCAT(COALESCE(experiment, ''), CHR(1), COALESCE(model, ''))
               FROM evaluations))
    UNION ALL
    SELECT experiment, model, CAST(NULL AS VARCHAR(1)), task_id, attempt,
           input, run_key, COALESCE(task_id, NULLIF(input, ''), run_key), run_key,
           CAST(NULL AS DOUBLE), CAST(NULL AS DOUBLE), CAST(NULL AS DOUBLE),
           CAST(NULL AS BIGINT), CAST(NULL AS BIGINT),
           CAST(NULL AS VARCHAR(1)), run_key
    FROM runs
    WHERE $outcomes IN ('all', 'unjudged')
      AND outcome_success IS NULL AND outcome_score IS NULL
      AND CONCAT(COALESCE(experiment, ''), CHR(1), COALESCE(model, '')) NOT IN (
          SELECT CONCAT(COALESCE(experiment, ''), CHR(1), COALESCE(model, ''))
          FROM evaluations)
),
penalties AS (
    SELECT said.*,
           (score + step) / 2 AS combined,
           CASE WHEN $fa_weight = 0 THEN 0e0 ELSE $fa_weight * score END
               + CASE WHEN $step_weight = 0 THEN 0e0 ELSE $step_weight * step END AS base,
           CASE WHEN real_tools = 0 THEN 'no tool was used but the search for tools'
                WHEN total_steps = 0 THEN 'no steps were recorded' END AS penalty
    FROM said
),
judgements AS (
    SELECT penalties.*,
           CASE WHEN real_tools IS NULL THEN NULL
                WHEN penalty IS NULL THEN base / $scale
                ELSE base / $scale * $no_tool_penalty END AS weighted
    FROM penalties
)
