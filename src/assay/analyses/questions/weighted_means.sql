,
-- How high are they where runs that used no tools are marked down? Read on in means.sql.
valued AS (
    SELECT experiment, model, task, weighted,
           CASE WHEN $by_judge THEN judge END AS group_judge,
           CASE WHEN $by_attempt THEN attempt END AS group_attempt,
           CASE WHEN weighted IS NOT NULL THEN score END AS unweighted,
           CASE WHEN weighted IS NULL THEN NULL WHEN penalty IS NULL THEN 0e0 ELSE 1e0 END
               AS penalised,
           CASE WHEN weighted IS NOT NULL THEN CAST(real_tools AS DOUBLE) END AS real_tools
    FROM judgements
)
