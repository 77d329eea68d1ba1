-- How reliable are the tools? Calls, failures and times, by whatever is asked for.
-- Each part reads the calls for itself: rows that several share would be held in memory.
WITH by_task AS (
    SELECT model, server, tool, task,
           SUM(CASE WHEN unknown THEN 0 ELSE 1 END) AS n,
           SUM(CASE WHEN failed OR unknown THEN 0 ELSE 1 END) AS y
    FROM (
        SELECT CASE WHEN $by IN ('model', 'model-tool') THEN model END AS model,
               CASE WHEN $by IN ('tool', 'model-tool') THEN server END AS server,
               CASE WHEN $by IN ('tool', 'model-tool') THEN tool END AS tool,
               task, failed, unknown
        FROM calls
        WHERE counted
    ) AS grouped
    GROUP BY model, server, tool, task
),
by_run AS (
    SELECT DISTINCT
           CASE WHEN $by IN ('model', 'model-tool') THEN model END AS model,
           CASE WHEN $by IN ('tool', 'model-tool') THEN server END AS server,
           CASE WHEN $by IN ('tool', 'model-tool') THEN tool END AS tool,
           run_key
    FROM calls
    WHERE counted
),
made AS (
    SELECT model, server, tool, COUNT(*) AS runs
    FROM by_run
    GROUP BY model, server, tool
),
sums AS (
    SELECT model, server, tool,
           COUNT(*) AS success_rate_clusters,
           SUM(CAST(n AS DOUBLE) * n) AS success_rate_squares_n,
           SUM(CAST(y AS DOUBLE) * y) AS success_rate_squares,
           SUM(CAST(n AS DOUBLE) * y) AS success_rate_products
    FROM by_task
    GROUP BY model, server, tool
),
totals AS (
    SELECT model, server, tool,
           COUNT(*) AS calls,
           SUM(CASE WHEN failed OR unknown THEN 0 ELSE 1 END) AS successes,
           SUM(CASE WHEN failed THEN 1 ELSE 0 END) AS failures,
           SUM(CASE WHEN unknown THEN 1 ELSE 0 END) AS unknown_calls,
           SUM(CASE WHEN unknown THEN 0 ELSE 1 END) AS known_calls,
           SUM(CASE WHEN blame IN ('model', 'MODEL_ERROR') THEN 1 ELSE 0 END) AS model_failures,
           SUM(CASE WHEN blame IN ('server', 'SERVER_ERROR') THEN 1 ELSE 0 END) AS server_failures,
           SUM(CASE WHEN blame = 'environment' THEN 1 ELSE 0 END) AS environment_failures,
           SUM(CASE WHEN blame IN ('unknown', 'UNKNOWN') THEN 1 ELSE 0 END) AS unknown_failures,
           SUM(CASE WHEN dynamically_loaded THEN 1 ELSE 0 END) AS loading_calls,
           COUNT(execution_time) AS timed_calls,
           FSUM(execution_time) / NULLIF(COUNT(execution_time), 0) AS mean_seconds,
           MEDIAN(execution_time) AS median_seconds,
           MAX(execution_time) AS longest_seconds,
           MIN(place) AS place
    FROM (
        SELECT CASE WHEN $by IN ('model', 'model-tool') THEN model END AS model,
               CASE WHEN $by IN ('tool', 'model-tool') THEN server END AS server,
               CASE WHEN $by IN ('tool', 'model-tool') THEN tool END AS tool,
               failed, unknown, blame, dynamically_loaded, execution_time, place
        FROM calls
        WHERE counted
    ) AS grouped
    GROUP BY model, server, tool
)
SELECT totals.*, runs,
       CAST(model_failures AS DOUBLE) / calls AS model_failure_rate,
       success_rate_clusters AS tasks,
       success_rate_clusters, success_rate_squares_n, success_rate_squares, success_rate_products
FROM totals
JOIN sums
  ON totals.model IS NOT DISTINCT FROM sums.model
 AND totals.server IS NOT DISTINCT FROM sums.server
 AND totals.tool IS NOT DISTINCT FROM sums.tool
JOIN made
  ON totals.model IS NOT DISTINCT FROM made.model
 AND totals.server IS NOT DISTINCT FROM made.server
 AND totals.tool IS NOT DISTINCT FROM made.tool
ORDER BY place NULLS LAST, totals.model NULLS LAST, totals.server NULLS LAST,
         totals.tool NULLS LAST
