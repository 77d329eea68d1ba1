-- How often is one tool called in a row, and how many different ones does a run use?
WITH before AS (
    SELECT run_key, position, model, server, tool,
           LAG(server) OVER (PARTITION BY run_key ORDER BY position) AS last_server,
           LAG(tool) OVER (PARTITION BY run_key ORDER BY position) AS last_tool
    FROM calls
),
numbered AS (
    SELECT run_key, model, server, tool,
           SUM(CASE WHEN last_server = server AND last_tool = tool THEN 0 ELSE 1 END)
               OVER (PARTITION BY run_key ORDER BY position
                     ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS streak
    FROM before
),
streaks AS (
    SELECT run_key, streak, MIN(model) AS model, MIN(server) AS server, MIN(tool) AS tool,
           COUNT(*) AS length
    FROM numbered
    GROUP BY run_key, streak
),
by_run AS (
    SELECT run_key, MIN(model) AS model,
           SUM(length) AS calls,
           COUNT(DISTINCT server || CHR(1) || tool) AS tools,
           SUM(CASE WHEN length > 1 THEN 1 ELSE 0 END) AS streaks,
           SUM(CASE WHEN length > 1 THEN length ELSE 0 END) AS streak_calls,
           MAX(CASE WHEN length > 1 THEN length END) AS longest_streak
    FROM streaks
    GROUP BY run_key
),
by_model AS (
    SELECT model,
           COUNT(*) AS runs_with_calls,
           CAST(SUM(calls) AS DOUBLE) / COUNT(*) AS mean_calls,
           CAST(SUM(tools) AS DOUBLE) / COUNT(*) AS mean_tools,
           MAX(tools) AS most_tools,
           SUM(streaks) AS streaks,
           CASE WHEN SUM(streaks) > 0
                THEN CAST(SUM(streak_calls) AS DOUBLE) / SUM(streaks) END AS mean_streak,
           MAX(longest_streak) AS longest_streak
    FROM by_run
    GROUP BY model
)
SELECT * FROM by_model ORDER BY model NULLS LAST
