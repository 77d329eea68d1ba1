-- Does an agent mend what it got wrong?
WITH grouped AS (
    SELECT CASE WHEN $by = 'model' THEN model END AS model,
           CASE WHEN $by IN ('server', 'tool') THEN server END AS server,
           CASE WHEN $by = 'tool' THEN tool END AS tool,
           CASE WHEN $by IN ('blame', 'kind') THEN blame END AS blame,
           CASE WHEN $by = 'kind' THEN kind END AS kind,
           task,
           failures, attempts, ending,
           CASE WHEN attempts > 0 AND ending <> 'cut off' THEN 1 ELSE 0 END AS decided,
           CASE WHEN ending IN ('changed', 'waited') THEN 1 ELSE 0 END AS corrected,
           CASE WHEN $by = 'model' OR attempts > 0 THEN place END AS place
    FROM failure_episodes
    WHERE counted
),
by_task AS (
    SELECT model, server, tool, blame, kind, task,
           COUNT(*) AS episodes,
           SUM(failures) AS failures,
           SUM(CASE WHEN attempts > 0 THEN 1 ELSE 0 END) AS retried,
           SUM(decided) AS decided,
           SUM(corrected) AS corrected,
           SUM(CASE WHEN ending = 'changed' THEN 1 ELSE 0 END) AS by_change,
           SUM(CASE WHEN ending = 'waited' THEN 1 ELSE 0 END) AS by_waiting,
           SUM(CASE WHEN ending = 'unexplained' THEN 1 ELSE 0 END) AS unexplained,
           SUM(CASE WHEN ending = 'not corrected' THEN 1 ELSE 0 END) AS not_corrected,
           SUM(CASE WHEN ending = 'not retried' THEN 1 ELSE 0 END) AS not_retried,
           SUM(CASE WHEN ending = 'cut off' THEN 1 ELSE 0 END) AS cut_off,
           SUM(corrected * attempts) AS attempts,
           MIN(place) AS place
    FROM grouped
    GROUP BY model, server, tool, blame, kind, task
),
totals AS (
    SELECT model, server, tool, blame, kind,
           SUM(episodes) AS episodes,
           SUM(failures) AS failures,
           SUM(retried) AS retried,
           SUM(decided) AS decided,
           SUM(corrected) AS corrected,
           SUM(by_change) AS by_change,
           SUM(by_waiting) AS by_waiting,
           SUM(unexplained) AS unexplained,
           SUM(not_corrected) AS not_corrected,
           SUM(not_retried) AS not_retried,
           SUM(cut_off) AS cut_off,
           CASE WHEN SUM(corrected) > 0
                THEN CAST(SUM(attempts) AS DOUBLE) / SUM(corrected) END AS mean_attempts,
           SUM(CASE WHEN decided > 0 THEN 1 ELSE 0 END) AS correction_rate_clusters,
           SUM(CAST(decided AS DOUBLE) * decided) AS correction_rate_squares_n,
           SUM(CAST(corrected AS DOUBLE) * corrected) AS correction_rate_squares,
           SUM(CAST(decided AS DOUBLE) * corrected) AS correction_rate_products,
           MIN(place) AS place
    FROM by_task
    GROUP BY model, server, tool, blame, kind
)
SELECT totals.*
FROM totals
ORDER BY CASE WHEN $by IN ('server', 'tool') THEN corrected END DESC NULLS LAST,
         CASE WHEN decided > 0 THEN CAST(corrected AS DOUBLE) / decided ELSE 0 END
             * CASE WHEN $by IN ('server', 'tool') THEN 0 ELSE 1 END DESC NULLS LAST,
         place NULLS LAST, model NULLS LAST, server NULLS LAST, tool NULLS LAST,
         blame NULLS LAST, kind NULLS LAST
