-- What every judge said of every run, one line each; the runs are known by the file they were
-- recorded in where the judge named it, else by task and pass.
SELECT experiment, model, judge, task_id, attempt,
       CASE WHEN trajectory LIKE 'trajectory%.json' THEN trajectory END AS trajectory,
       COALESCE(task_id, trajectory, evaluation_key) AS task,
       success, final_answer_score AS score, average_step_score AS step
FROM evaluations
WHERE error IS NULL
ORDER BY experiment NULLS LAST, model NULLS LAST, task_id NULLS LAST, attempt NULLS LAST,
         trajectory NULLS LAST, judge NULLS LAST, evaluation_key
