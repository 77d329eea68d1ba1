-- The means that were recorded beside the evaluations, over all passes or of each.
SELECT COALESCE(experiment, 'react') AS experiment, model, judge, attempt,
       total_evaluated AS evaluations, errors AS missing,
       avg_final_answer_score AS score, avg_step_score AS step,
       MAX(avg_final_answer_score) OVER (PARTITION BY experiment, model) AS best
FROM summaries
WHERE judge IS NOT NULL AND (attempt IS NULL) = $overall
ORDER BY CASE WHEN $overall THEN best END DESC NULLS LAST,
         experiment NULLS LAST, model NULLS LAST, judge, attempt NULLS LAST
