-- What goes wrong, and whose fault is it? A failure is judged again by how the same call, tool
-- and arguments alike, went in other runs of the store.
WITH failing AS (
    SELECT run_key, model, server, tool, arguments_key, COALESCE(task_id, run_key) AS task,
           blame, kind, blame_rule, place
    FROM calls
    WHERE failed AND counted
),
failing_calls AS (
    SELECT DISTINCT server, tool, arguments_key FROM failing WHERE $judge_again
),
by_run AS (
    SELECT same.server, same.tool, same.arguments_key, same.run_key, same.model,
           SUM(CASE WHEN failed THEN 0 ELSE 1 END) AS ok,
           SUM(CASE WHEN failed THEN 1 ELSE 0 END) AS bad
    FROM all_calls AS same
    JOIN failing_calls
      ON failing_calls.server = same.server AND failing_calls.tool = same.tool
     AND failing_calls.arguments_key = same.arguments_key
    GROUP BY same.server, same.tool, same.arguments_key, same.run_key, same.model
),
by_model AS (
    SELECT server, tool, arguments_key, model,
           SUM(CASE WHEN bad > 0 THEN 1 ELSE 0 END) AS failing_runs
    FROM by_run
    GROUP BY server, tool, arguments_key, model
),
models AS (
    SELECT server, tool, arguments_key,
           SUM(CASE WHEN failing_runs > 0 AND model IS NOT NULL THEN 1 ELSE 0 END) AS models_failed
    FROM by_model
    GROUP BY server, tool, arguments_key
),
everywhere AS (
    SELECT server, tool, arguments_key, SUM(ok) AS ok, SUM(bad) AS bad
    FROM by_run
    GROUP BY server, tool, arguments_key
),
compared AS (
    SELECT failing.*,
           everywhere.ok - by_run.ok AS ok_elsewhere,
           everywhere.bad - by_run.bad AS bad_elsewhere,
           models.models_failed
               - CASE WHEN by_model.failing_runs = 1 AND failing.model IS NOT NULL
                      THEN 1 ELSE 0 END AS models_failed_elsewhere,
           COALESCE(usual_blame, 'unknown') AS usual_blame,
           $judge_again
               AND blame_rule NOT IN ('json_rpc_code', 'schema_misfit', 'broken_schema',
                                      'not_on_offer')
               AND NOT COALESCE(stateful, FALSE)
               AND COALESCE(usual_blame, 'unknown') <> 'environment' AS open_to_doubt
    FROM failing
    LEFT JOIN by_run
      ON by_run.server = failing.server AND by_run.tool = failing.tool
     AND by_run.arguments_key = failing.arguments_key AND by_run.run_key = failing.run_key
    LEFT JOIN by_model
      ON by_model.server = failing.server AND by_model.tool = failing.tool
     AND by_model.arguments_key = failing.arguments_key
     AND by_model.model IS NOT DISTINCT FROM failing.model
    LEFT JOIN models
      ON models.server = failing.server AND models.tool = failing.tool
     AND models.arguments_key = failing.arguments_key
    LEFT JOIN everywhere
      ON everywhere.server = failing.server AND everywhere.tool = failing.tool
     AND everywhere.arguments_key = failing.arguments_key
    LEFT JOIN kinds ON kinds.kind = failing.kind
),
judged AS (
    SELECT compared.*,
           open_to_doubt
               AND (COALESCE(ok_elsewhere, 0) > 0
                    OR (COALESCE(models_failed_elsewhere, 0) > 1 AND usual_blame <> 'model')) AS doubted
    FROM compared
),
grouped AS (
    SELECT CASE WHEN $by = 'model' THEN model END AS model,
           CASE WHEN $by IN ('server', 'tool') THEN server END AS server,
           CASE WHEN $by = 'tool' THEN tool END AS tool,
           CASE WHEN doubted THEN 'server' ELSE blame END AS blame,
           CASE WHEN $by = 'kind'
                THEN CASE WHEN doubted AND usual_blame <> 'server' THEN 'execution_error'
                          ELSE kind END
           END AS kind,
           task, run_key, place,
           CASE WHEN doubted AND blame <> 'server' THEN 1 ELSE 0 END AS reblamed,
           CASE WHEN ok_elsewhere > 0 THEN 1 WHEN $judge_again THEN 0 END AS worked_elsewhere,
           CASE WHEN ok_elsewhere = 0 AND bad_elsewhere > 0 THEN 1 WHEN $judge_again THEN 0 END
               AS failed_elsewhere
    FROM judged
),
counts AS (
    SELECT model, server, tool, blame, kind,
           COUNT(*) AS failures,
           COUNT(DISTINCT run_key) AS runs,
           SUM(reblamed) AS reblamed,
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
           COALESCE(task_id, run_key) AS task,
           COUNT(*) AS n
    FROM calls
    WHERE counted
    GROUP BY CASE WHEN $by = 'model' THEN model END,
             CASE WHEN $by IN ('server', 'tool') THEN server END,
             CASE WHEN $by = 'tool' THEN tool END,
             COALESCE(task_id, run_key)
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
