-- The recorded summaries in the columns of the seed's export and in the order of their files.
SELECT model, judge,
       COALESCE(CAST(attempt AS VARCHAR(20)), 'overall') AS pass_number,
       CASE WHEN attempt IS NULL THEN 'True' ELSE 'False' END AS is_overall,
       total_evaluated, errors, avg_final_answer_score, avg_step_score
FROM summaries
ORDER BY REPLACE(source_path, '/', CHR(1)) NULLS LAST, evaluation_key
