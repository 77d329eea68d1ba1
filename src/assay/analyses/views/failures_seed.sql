-- Every failed call as it was recorded: the seed looks at no other run.
SELECT run_key, model, server, tool, task, place, blame, kind,
       CAST(NULL AS INTEGER) AS worked_elsewhere,
       CAST(NULL AS INTEGER) AS failed_elsewhere
FROM calls
WHERE failed AND counted
