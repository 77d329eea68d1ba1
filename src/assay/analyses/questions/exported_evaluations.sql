-- The evaluations in the columns of the seed's export and in the order of their files.
SELECT task_id AS uuid, model, judge, COALESCE(attempt, 1) AS pass_number,
       final_answer_score, average_step_score AS step_score, total_steps,
       SUBSTR(COALESCE(query, ''), 1, 100) AS query_preview
FROM evaluations
ORDER BY REPLACE(source_path, '/', CHR(1)) NULLS LAST, evaluation_key
