-- Every call with those before and after it in its run.
SELECT calls.*,
       ROW_NUMBER() OVER (PARTITION BY run_key ORDER BY position) AS number,
       LAG(server) OVER (PARTITION BY run_key ORDER BY position) AS last_server,
       LAG(tool) OVER (PARTITION BY run_key ORDER BY position) AS last_tool,
       LAG(failed) OVER (PARTITION BY run_key ORDER BY position) AS last_failed,
       LEAD(server) OVER (PARTITION BY run_key ORDER BY position) AS next_server,
       LEAD(tool) OVER (PARTITION BY run_key ORDER BY position) AS next_tool,
       LEAD(failed) OVER (PARTITION BY run_key ORDER BY position) AS next_failed,
       LEAD(arguments_key) OVER (PARTITION BY run_key ORDER BY position) AS next_arguments
FROM calls
