-- Every failed call, judged again by how the same call, tool and arguments alike, went in other
-- runs of the store.
WITH failing AS (
    SELECT run_key, model, server, tool, arguments_key, task,
           blame, kind, blame_rule, place
    FROM calls
    WHERE failed AND counted
),
failing_calls AS (
    SELECT DISTINCT server, tool, arguments_key FROM failing
),
by_run AS (
    SELECT same.server, same.tool, same.arguments_key, same.run_key, same.model,
           SUM(CASE WHEN succeeded THEN 1 ELSE 0 END) AS ok,
           SUM(CASE WHEN failed THEN 1 ELSE 0 END) AS bad,
           SUM(CASE WHEN failed AND blame <> 'model' THEN 1 ELSE 0 END) AS bad_for_others
    FROM all_calls AS same
    JOIN failing_calls
      ON failing_calls.server = same.server AND failing_calls.tool = same.tool
     AND failing_calls.arguments_key = same.arguments_key
    GROUP BY same.server, same.tool, same.arguments_key, same.run_key, same.model
),
by_model AS (
    SELECT server, tool, arguments_key, model,
           SUM(CASE WHEN bad_for_others > 0 THEN 1 ELSE 0 END) AS failing_runs
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
           blame_rule NOT IN ('json_rpc_code', 'schema_misfit', 'broken_schema', 'not_on_offer',
                              'own_code')
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
                    OR (COALESCE(models_failed_elsewhere, 0) > 1 AND blame <> 'model')) AS doubted
    FROM compared
)
SELECT run_key, model, server, tool, task, place,
       CASE WHEN doubted THEN 'server' ELSE blame END AS blame,
       CASE WHEN doubted AND usual_blame <> 'server' THEN 'execution_error' ELSE kind END AS kind,
       CASE WHEN doubted AND blame <> 'server' THEN 1 ELSE 0 END AS reblamed,
       CASE WHEN ok_elsewhere > 0 THEN 1 ELSE 0 END AS worked_elsewhere,
       CASE WHEN ok_elsewhere = 0 AND bad_elsewhere > 0 THEN 1 ELSE 0 END AS failed_elsewhere
FROM judged
