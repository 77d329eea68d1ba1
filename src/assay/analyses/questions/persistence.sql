-- How often is one tool called in a row, and how many different ones does a run use?
WITH by_model AS (
    SELECT model,
           COUNT(*) AS runs_with_calls,
           CAST(SUM(calls) AS DOUBLE) / COUNT(*) AS mean_calls,
           CAST(SUM(tools) AS DOUBLE) / COUNT(*) AS mean_tools,
           MAX(tools) AS most_tools,
           COALESCE(SUM(streaks), 0) AS streaks,
           CASE WHEN SUM(streaks) > 0
                THEN CAST(SUM(streak_calls) AS DOUBLE) / SUM(streaks) END AS mean_streak,
           MAX(longest_streak) AS longest_streak
    FROM run_streaks
    GROUP BY model
)
SELECT * FROM by_model ORDER BY model NULLS LAST
