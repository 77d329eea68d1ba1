-- What goes wrong, and whose fault is it?
WITH grouped AS (
    SELECT CASE WHEN $by = 'model' THEN model END AS model,
           CASE WHEN $by IN ('server', 'tool') THEN server END AS server,
           CASE WHEN $by = 'tool' THEN tool END AS tool,
           blame,
           CASE WHEN $by = 'kind' THEN kind END AS kind,
           task, run_key, place, worked_elsewhere, failed_elsewhere
    FROM judged_failures
),
counts AS (
    SELECT model, server, tool, blame, kind,
           COUNT(*) AS failures,
           COUNT(DISTINCT run_key) AS runs,
           SUM(worked_elsewhere) AS worked_elsewhere,
           SUM(failed_elsewhere) AS failed_elsewhere,
           MIN(place) AS place
    FROM grouped
    GROUP BY model, server, tool, blame, kind
),
calls_by_task AS (
    SELECT CASE WHEN $by = 'model' THEN model END AS model,
           CASE WHEN $by IN ('server', 'tool') THEN server END AS server,
           CASE WHEN $by = 'tool' THEN tool END AS tool,
           task,
           COUNT(*) AS n
    FROM calls
    WHERE counted
    GROUP BY CASE WHEN $by = 'model' THEN model END,
             CASE WHEN $by IN ('server', 'tool') THEN server END,
             CASE WHEN $by = 'tool' THEN tool END,
             task
),
call_sums AS (
    SELECT model, server, tool, SUM(n) AS calls, COUNT(*) AS rate_clusters,
           SUM(CAST(n AS DOUBLE) * n) AS rate_squares_n
    FROM calls_by_task
    GROUP BY model, server, tool
),
failures_by_task AS (
    SELECT model, server, tool, blame, kind, task, COUNT(*) AS y
    FROM grouped
    GROUP BY model, server, tool, blame, kind, task
),
failure_sums AS (
    SELECT hit.model, hit.server, hit.tool, blame, kind,
           SUM(CAST(y AS DOUBLE) * y) AS rate_squares,
           SUM(CAST(n AS DOUBLE) * y) AS rate_products
    FROM failures_by_task AS hit
    JOIN calls_by_task AS made
      ON made.task = hit.task
     AND made.model IS NOT DISTINCT FROM hit.model
     AND made.server IS NOT DISTINCT FROM hit.server
     AND made.tool IS NOT DISTINCT FROM hit.tool
    GROUP BY hit.model, hit.server, hit.tool, blame, kind
),
together AS (
    SELECT SUM(failures) AS all_failures FROM counts
)
SELECT counts.*,
       CAST(failures AS DOUBLE) / all_failures AS share,
       calls, rate_clusters, rate_squares_n, rate_squares, rate_products
FROM counts
CROSS JOIN together
JOIN call_sums
  ON call_sums.model IS NOT DISTINCT FROM counts.model
 AND call_sums.server IS NOT DISTINCT FROM counts.server
 AND call_sums.tool IS NOT DISTINCT FROM counts.tool
JOIN failure_sums
  ON failure_sums.model IS NOT DISTINCT FROM counts.model
 AND failure_sums.server IS NOT DISTINCT FROM counts.server
 AND failure_sums.tool IS NOT DISTINCT FROM counts.tool
 AND failure_sums.blame IS NOT DISTINCT FROM counts.blame
 AND failure_sums.kind IS NOT DISTINCT FROM counts.kind
ORDER BY failures DESC NULLS LAST, place NULLS LAST, counts.model NULLS LAST,
         counts.server NULLS LAST, counts.tool NULLS LAST, counts.blame NULLS LAST,
         counts.kind NULLS LAST
