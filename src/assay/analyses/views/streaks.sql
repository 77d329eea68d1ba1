-- One row a run with calls: how many of them, of how many tools, and the streaks of one tool.
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
    WHERE repeats_last
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
)
SELECT model, calls, tools, streaks, streak_calls, longest_streak
FROM by_run
LEFT JOIN streaks_of_runs ON streaks_of_runs.run_key = by_run.run_key
