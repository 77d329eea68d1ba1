,
-- Which single evaluations are the best and the worst?
-- Only those at the two ends are put in order: first it is counted how many have each value.
counted_values AS (
    SELECT experiment AS value_experiment, combined AS value, COUNT(*) AS n
    FROM judgements
    WHERE combined IS NOT NULL
    GROUP BY experiment, combined
),
ranked_values AS (
    SELECT value_experiment, value, n,
           SUM(n) OVER (PARTITION BY value_experiment ORDER BY value DESC NULLS LAST
                        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - n AS above,
           SUM(n) OVER (PARTITION BY value_experiment) AS ranked
    FROM counted_values
),
end_values AS (
    SELECT value_experiment, value, above, ranked
    FROM ranked_values
    WHERE above < $top_n OR above + n > ranked - $top_n
),
placed AS (
    SELECT evaluations.experiment, evaluations.model, evaluations.judge, evaluations.attempt,
           evaluations.task_id, evaluations.query, score, step, combined, ranked,
           above + ROW_NUMBER() OVER (PARTITION BY evaluations.experiment, combined
                                      ORDER BY REPLACE(source_path, '/', CHR(1)) NULLS LAST,
                                               evaluation_key) AS rank
    FROM judgements
    JOIN end_values
      ON value = combined AND value_experiment IS NOT DISTINCT FROM judgements.experiment
    JOIN evaluations ON evaluation_key = judgement
),
chosen_sides AS (
    SELECT placed.*, 'best' AS side FROM placed WHERE rank <= $top_n
    UNION ALL
    SELECT placed.*, 'worst' FROM placed
    WHERE rank > ranked - $top_n AND ($overlapping OR rank > $top_n)
)
SELECT *
FROM chosen_sides
ORDER BY experiment NULLS LAST, side, rank
