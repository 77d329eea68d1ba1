-- How often is one tool called in a row, and how many different ones does a run use?
WITH sides AS (
    SELECT run_key, position, model, server, tool,
           ROW_NUMBER() OVER (PARTITION BY run_key ORDER BY position) AS number,
           LAG(server) OVER (PARTITION BY run_key ORDER BY position) AS last_server,
           LAG(tool) OVER (PARTITION BY run_key ORDER BY position) AS last_tool,
           LEAD(server) OVER (PARTITION BY run_key ORDER BY position) AS next_server,
           LEAD(tool) OVER (PARTITION BY run_key ORDER BY position) AS next_tool
    FROM calls
),
ends AS (
    SELECT run_key, position, model, server, tool, number,
           COALESCE(last_server = server AND last_tool = tool, FALSE) AS follows,
           COALESCE(next_server = server AND next_tool = tool, FALSE) AS goes_on
    FROM sides
),
lengths AS (
    SELECT run_key, model, server, tool, follows, goes_on,
           number - MAX(CASE WHEN NOT follows THEN number END)
               OVER (PARTITION BY run_key ORDER BY position
                     ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) + 1 AS length
    FROM ends
),
by_run AS (
    SELECT run_key, MIN(model) AS model,
           COUNT(*) AS calls,
           COUNT(DISTINCT server || CHR(1) || tool) AS tools,
           SUM(CASE WHEN goes_on AND NOT follows THEN 1 ELSE 0 END) AS streaks,
           SUM(CASE WHEN goes_on OR follows THEN 1 ELSE 0 END) AS streak_calls,
           MAX(CASE WHEN follows THEN length END) AS longest_streak
    FROM lengths
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
