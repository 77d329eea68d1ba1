-- How reliable are the servers?
WITH by_task AS (
    SELECT server, task,
           SUM(CASE WHEN unknown THEN 0 ELSE 1 END) AS n,
           SUM(CASE WHEN failed OR unknown THEN 0 ELSE 1 END) AS y
    FROM calls
    WHERE counted
    GROUP BY server, task
),
sums AS (
    SELECT server,
           COUNT(*) AS success_rate_clusters,
           SUM(CAST(n AS DOUBLE) * n) AS success_rate_squares_n,
           SUM(CAST(y AS DOUBLE) * y) AS success_rate_squares,
           SUM(CAST(n AS DOUBLE) * y) AS success_rate_products
    FROM by_task
    GROUP BY server
),
by_run AS (
    SELECT DISTINCT server, run_key FROM calls WHERE counted
),
made AS (
    SELECT server, COUNT(*) AS runs FROM by_run GROUP BY server
),
totals AS (
    SELECT server,
           COUNT(*) AS calls,
           COUNT(DISTINCT tool) AS tools,
           COUNT(DISTINCT model) AS models,
           SUM(CASE WHEN failed OR unknown THEN 0 ELSE 1 END) AS successes,
           SUM(CASE WHEN failed THEN 1 ELSE 0 END) AS failures,
           SUM(CASE WHEN unknown THEN 1 ELSE 0 END) AS unknown_calls,
           SUM(CASE WHEN unknown THEN 0 ELSE 1 END) AS known_calls,
           SUM(CASE WHEN blame IN ('model', 'MODEL_ERROR') THEN 1 ELSE 0 END) AS model_failures,
           SUM(CASE WHEN blame IN ('server', 'SERVER_ERROR') THEN 1 ELSE 0 END) AS server_failures,
           SUM(CASE WHEN blame = 'environment' THEN 1 ELSE 0 END) AS environment_failures,
           SUM(CASE WHEN blame IN ('unknown', 'UNKNOWN') THEN 1 ELSE 0 END) AS unknown_failures,
           MEDIAN(execution_time) AS median_seconds,
           MIN(place) AS place
    FROM calls
    WHERE counted
    GROUP BY server
)
SELECT totals.*, runs,
       CAST(server_failures AS DOUBLE) / calls AS server_failure_rate,
       success_rate_clusters AS tasks,
       success_rate_clusters, success_rate_squares_n, success_rate_squares, success_rate_products
FROM totals
JOIN sums ON sums.server = totals.server
JOIN made ON made.server = totals.server
ORDER BY place NULLS LAST, totals.server NULLS LAST
