-- How often is one tool called in a row, and how many different ones does a run use?
WITH by_tool AS (
    SELECT run_key, server, tool, MIN(model) AS model, COUNT(*) AS calls
    FROM calls
    GROUP BY run_key, server, tool
),
by_run AS (
    SELECT run_key, MIN(model) AS model, SUM(calls) AS calls, COUNT(*) AS tools
    FROM by_tool
    GROUP BY run_key
),
repeats AS (
    SELECT run_key, number,
           ROW_NUMBER() OVER (PARTITION BY run_key ORDER BY position) AS repeat_number
    FROM call_sides
    WHERE last_server = server AND last_tool = tool
),
streaks AS (
    SELECT run_key, COUNT(*) + 1 AS length
    FROM repeats
    GROUP BY run_key, number - repeat_number
),
streaks_of_runs AS (
    SELECT run_key, COUNT(*) AS streaks, SUM(length) AS streak_calls,
           MAX(length) AS longest_streak
    FROM streaks
    GROUP BY run_key
),
by_model AS (
    SELECT model,
           COUNT(*) AS runs_with_calls,
           CAST(SUM(calls) AS DOUBLE) / COUNT(*) AS mean_calls,
           CAST(SUM(tools) AS DOUBLE) / COUNT(*) AS mean_tools,
           MAX(tools) AS most_tools,
           COALESCE(SUM(streaks), 0) AS streaks,
           CASE WHEN SUM(streaks) > 0
                THEN CAST(SUM(streak_calls) AS DOUBLE) / SUM(streaks) END AS mean_streak,
           MAX(longest_streak) AS longest_streak
    FROM by_run
    LEFT JOIN streaks_of_runs ON streaks_of_runs.run_key = by_run.run_key
    GROUP BY model
)
SELECT * FROM by_model ORDER BY model NULLS LAST
