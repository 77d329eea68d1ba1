-- Did our rules see the faults that were injected, and whose they were?
SELECT injected, recorded_blame,
       COUNT(*) AS calls,
       SUM(CASE WHEN recorded_blame IS NULL THEN CASE WHEN failed THEN 0 ELSE 1 END
                WHEN failed AND blame = recorded_blame THEN 1 ELSE 0 END) AS agreed,
       SUM(CASE WHEN failed AND blame = 'model' THEN 1 ELSE 0 END) AS as_model,
       SUM(CASE WHEN failed AND blame = 'server' THEN 1 ELSE 0 END) AS as_server,
       SUM(CASE WHEN failed AND blame = 'environment' THEN 1 ELSE 0 END) AS as_environment,
       SUM(CASE WHEN failed AND blame = 'unknown' THEN 1 ELSE 0 END) AS as_unknown,
       SUM(CASE WHEN failed THEN 0 ELSE 1 END) AS not_failed
FROM calls
WHERE counted AND injected IS NOT NULL
GROUP BY injected, recorded_blame
ORDER BY recorded_blame NULLS LAST, injected
