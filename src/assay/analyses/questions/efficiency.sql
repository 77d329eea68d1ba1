,
-- What does a run take, and what does a success?
measured AS (
    SELECT experiment, model, task, success, 'runs' AS measure, 1e0 AS value FROM run_facts
    UNION ALL
    SELECT experiment, model, task, success, 'success', success FROM run_facts
    UNION ALL
    SELECT experiment, model, task, success, 'score', score FROM run_facts
    UNION ALL
    SELECT experiment, model, task, success, 'calls', CAST(calls AS DOUBLE) FROM run_facts
    UNION ALL
    SELECT experiment, model, task, success, 'tools', CAST(tools AS DOUBLE) FROM run_facts
    UNION ALL
    SELECT experiment, model, task, success, 'servers', CAST(servers AS DOUBLE) FROM run_facts
    UNION ALL
    SELECT experiment, model, task, success, 'calls_per_tool',
           CASE WHEN tools > 0 THEN CAST(calls AS DOUBLE) / tools END
    FROM run_facts
    UNION ALL
    SELECT experiment, model, task, success, 'failures', CAST(failures AS DOUBLE) FROM run_facts
    UNION ALL
    SELECT experiment, model, task, success, 'rounds', CAST(rounds AS DOUBLE) FROM run_facts
    UNION ALL
    SELECT experiment, model, task, success, 'tokens', CAST(tokens AS DOUBLE) FROM run_facts
    UNION ALL
    SELECT experiment, model, task, success, 'seconds', seconds FROM run_facts
    UNION ALL
    SELECT experiment, model, task, success, 'cost_usd', cost_usd FROM run_facts
),
by_task AS (
    SELECT experiment, model, measure, task,
           COUNT(*) AS asked,
           COUNT(value) AS n,
           COALESCE(FSUM(value), 0e0) AS total,
           MIN(value) AS lowest,
           MAX(value) AS highest,
           COALESCE(FSUM(CASE WHEN success IS NOT NULL THEN value END), 0e0) AS judged_total,
           COALESCE(FSUM(CASE WHEN value IS NOT NULL THEN success END), 0e0) AS successes
    FROM measured
    GROUP BY experiment, model, measure, task
)
SELECT experiment, model, measure,
       {mean_sums},
       FSUM(judged_total) AS judged_total,
       FSUM(successes) AS successes
FROM by_task
GROUP BY experiment, model, measure
ORDER BY experiment NULLS LAST, model NULLS LAST, measure
