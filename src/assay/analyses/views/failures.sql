-- Every failed call as it was judged when it was read, with how the same call, tool and arguments
-- alike, went in other runs of the store.
WITH failing AS (
    SELECT run_key, model, server, tool, arguments_key, task, blame, kind, place
    FROM calls
    WHERE failed AND counted
),
failing_calls AS (
    SELECT DISTINCT server, tool, arguments_key FROM failing
),
by_run AS (
    SELECT same.server, same.tool, same.arguments_key, same.run_key,
           SUM(CASE WHEN succeeded THEN 1 ELSE 0 END) AS ok,
           SUM(CASE WHEN failed THEN 1 ELSE 0 END) AS bad
    FROM all_calls AS same
    JOIN failing_calls
      ON failing_calls.server = same.server AND failing_calls.tool = same.tool
     AND failing_calls.arguments_key = same.arguments_key
    GROUP BY same.server, same.tool, same.arguments_key, same.run_key
),
everywhere AS (
    SELECT server, tool, arguments_key, SUM(ok) AS ok, SUM(bad) AS bad
    FROM by_run
    GROUP BY server, tool, arguments_key
),
compared AS (
    SELECT failing.*,
           everywhere.ok - by_run.ok AS ok_elsewhere,
           everywhere.bad - by_run.bad AS bad_elsewhere
    FROM failing
    LEFT JOIN by_run
      ON by_run.server = failing.server AND by_run.tool = failing.tool
     AND by_run.arguments_key = failing.arguments_key AND by_run.run_key = failing.run_key
    LEFT JOIN everywhere
      ON everywhere.server = failing.server AND everywhere.tool = failing.tool
     AND everywhere.arguments_key = failing.arguments_key
)
SELECT run_key, model, server, tool, task, place, blame, kind,
       CASE WHEN ok_elsewhere > 0 THEN 1 ELSE 0 END AS worked_elsewhere,
       CASE WHEN ok_elsewhere = 0 AND bad_elsewhere > 0 THEN 1 ELSE 0 END AS failed_elsewhere
FROM compared
