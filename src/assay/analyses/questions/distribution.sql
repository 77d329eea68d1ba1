,
-- How are the scores spread?
scores AS (
    SELECT experiment,
           CASE WHEN $by IN ('model', 'model-judge') THEN model END AS group_model,
           CASE WHEN $by IN ('judge', 'model-judge') THEN judge END AS group_judge,
           'score' AS measure, score AS value
    FROM judgements
    UNION ALL
    SELECT experiment,
           CASE WHEN $by IN ('model', 'model-judge') THEN model END,
           CASE WHEN $by IN ('judge', 'model-judge') THEN judge END,
           'step', step
    FROM judgements
)
SELECT experiment, group_model AS model, group_judge AS judge, measure,
       COUNT(value) AS n,
       COUNT(*) - COUNT(value) AS missing,
       FSUM(value) / COUNT(value) AS mean,
       CASE WHEN COUNT(value) > 1 THEN STDDEV_SAMP(value) END AS deviation,
       MIN(value) AS least,
       PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY value) AS quarter,
       MEDIAN(value) AS median,
       PERCENTILE_CONT(0.75) WITHIN GROUP (ORDER BY value) AS three_quarters,
       MAX(value) AS most,
       COUNT(CASE WHEN value >= 0 AND value < 0.2e0 THEN 1 END) AS bin_0_20,
       COUNT(CASE WHEN value >= 0.2e0 AND value < 0.4e0 THEN 1 END) AS bin_20_40,
       COUNT(CASE WHEN value >= 0.4e0 AND value < 0.6e0 THEN 1 END) AS bin_40_60,
       COUNT(CASE WHEN value >= 0.6e0 AND value < 0.8e0 THEN 1 END) AS bin_60_80,
       COUNT(CASE WHEN value >= 0.8e0 AND value <= 1 THEN 1 END) AS bin_80_100,
       COUNT(CASE WHEN value < 0 OR value > 1 THEN 1 END) AS outside
FROM scores
GROUP BY experiment, group_model, group_judge, measure
HAVING COUNT(value) > 0
ORDER BY experiment NULLS LAST, model NULLS LAST, judge NULLS LAST, measure
