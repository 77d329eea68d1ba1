,
-- Which single evaluations are the best and the worst?
placed AS (
    SELECT judgement, score, step, combined,
           ROW_NUMBER() OVER (PARTITION BY experiment
                              ORDER BY combined DESC NULLS LAST, place, judgement)
               AS rank,
           COUNT(*) OVER (PARTITION BY experiment) AS ranked
    FROM judgements
    WHERE combined IS NOT NULL
),
chosen_sides AS (
    SELECT placed.*, 'best' AS side FROM placed WHERE rank <= $top_n
    UNION ALL
    SELECT placed.*, 'worst' FROM placed
    WHERE rank > ranked - $top_n AND ($overlapping OR rank > $top_n)
)
SELECT experiment, model, judge, attempt, task_id, query, score, step, combined, rank, ranked, side
FROM chosen_sides
JOIN evaluations ON evaluation_key = judgement
ORDER BY experiment NULLS LAST, side, rank
