-- What does an agent do after a failed call?
WITH grouped AS (
    SELECT CASE WHEN $by = 'model' THEN model END AS model,
           CASE WHEN $by IN ('server', 'tool') THEN server END AS server,
           CASE WHEN $by = 'tool' THEN tool END AS tool,
           CASE WHEN $by IN ('blame', 'kind') THEN blame END AS blame,
           CASE WHEN $by = 'kind' THEN kind END AS kind,
           task, run_key, place,
           CASE WHEN retried THEN 1 ELSE 0 END AS retried,
           CASE WHEN retried_identical THEN 1 ELSE 0 END AS retried_identical,
           CASE WHEN retried_changed THEN 1 ELSE 0 END AS retried_changed,
           CASE WHEN retried_at_once THEN 1 ELSE 0 END AS retried_at_once,
           CASE WHEN retry_succeeded THEN 1 ELSE 0 END AS retry_successes,
           CASE WHEN switched THEN 1 ELSE 0 END AS switched,
           CASE WHEN switch_succeeded THEN 1 ELSE 0 END AS switch_successes,
           CASE WHEN gave_up THEN 1 ELSE 0 END AS gave_up,
           CASE WHEN cut_off THEN 1 ELSE 0 END AS cut_off
    FROM failure_responses
    WHERE counted
),
by_task AS (
    SELECT model, server, tool, blame, kind, task,
           COUNT(DISTINCT run_key) AS runs,
           COUNT(*) AS failures,
           COUNT(*) - SUM(cut_off) AS n,
           SUM(retried) AS retried,
           SUM(retried_identical) AS retried_identical,
           SUM(retried_changed) AS retried_changed,
           SUM(retried_at_once) AS retried_at_once,
           SUM(retry_successes) AS retry_successes,
           SUM(switched) AS switched,
           SUM(switch_successes) AS switch_successes,
           SUM(gave_up) AS gave_up,
           SUM(cut_off) AS cut_off,
           SUM(retried) + SUM(switched) AS went_on,
           SUM(retry_successes) + SUM(switch_successes) AS recovered,
           MIN(place) AS place
    FROM grouped
    GROUP BY model, server, tool, blame, kind, task
),
totals AS (
    SELECT model, server, tool, blame, kind,
           SUM(runs) AS runs_with_failures,
           SUM(failures) AS failures,
           SUM(n) AS n,
           SUM(retried) AS retried,
           SUM(retried_identical) AS retried_identical,
           SUM(retried_changed) AS retried_changed,
           SUM(retried_at_once) AS retried_at_once,
           SUM(retry_successes) AS retry_successes,
           SUM(switched) AS switched,
           SUM(switch_successes) AS switch_successes,
           SUM(gave_up) AS gave_up,
           SUM(cut_off) AS cut_off,
           SUM(went_on) AS went_on,
           SUM(recovered) AS recovered,
           SUM(CASE WHEN n > 0 THEN 1 ELSE 0 END) AS retry_rate_clusters,
           SUM(CAST(n AS DOUBLE) * n) AS retry_rate_squares_n,
           SUM(CAST(retried AS DOUBLE) * retried) AS retry_rate_squares,
           SUM(CAST(n AS DOUBLE) * retried) AS retry_rate_products,
           SUM(CASE WHEN n > 0 THEN 1 ELSE 0 END) AS give_up_rate_clusters,
           SUM(CAST(n AS DOUBLE) * n) AS give_up_rate_squares_n,
           SUM(CAST(gave_up AS DOUBLE) * gave_up) AS give_up_rate_squares,
           SUM(CAST(n AS DOUBLE) * gave_up) AS give_up_rate_products,
           SUM(CASE WHEN went_on > 0 THEN 1 ELSE 0 END) AS recovery_rate_clusters,
           SUM(CAST(went_on AS DOUBLE) * went_on) AS recovery_rate_squares_n,
           SUM(CAST(recovered AS DOUBLE) * recovered) AS recovery_rate_squares,
           SUM(CAST(went_on AS DOUBLE) * recovered) AS recovery_rate_products,
           MIN(place) AS place
    FROM by_task
    GROUP BY model, server, tool, blame, kind
),
runs_by_model AS (
    SELECT CASE WHEN $by = 'model' THEN model END AS model, COUNT(*) AS runs
    FROM runs
    WHERE $by IN ('model', 'all')
    GROUP BY CASE WHEN $by = 'model' THEN model END
)
SELECT totals.*, runs_by_model.runs
FROM totals
LEFT JOIN runs_by_model ON runs_by_model.model IS NOT DISTINCT FROM totals.model
ORDER BY totals.model NULLS LAST, failures DESC NULLS LAST, place NULLS LAST,
         server NULLS LAST, tool NULLS LAST, blame NULLS LAST, kind NULLS LAST
