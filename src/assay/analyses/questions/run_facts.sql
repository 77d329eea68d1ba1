-- What each run took and what it was worth. The beginning of the questions about efficiency,
-- which read on from `run_facts`. What was not recorded is NULL: a run of which only the outcome
-- is known took no known number of calls.
WITH judges AS (
    SELECT experiment AS judged_experiment, model AS judged_model, MIN(judge) AS first_judge
    FROM evaluations
    GROUP BY experiment, model
),
verdicts AS (
    SELECT experiment, model, task_id, attempt, trajectory,
           AVG(CASE WHEN success THEN 1e0 WHEN NOT success THEN 0e0 END) AS judged_success,
           FSUM(COALESCE(final_answer_score, CAST($missing AS DOUBLE)))
               / NULLIF(COUNT(COALESCE(final_answer_score, CAST($missing AS DOUBLE))), 0) AS score
    FROM evaluations
    JOIN judges
      ON experiment IS NOT DISTINCT FROM judged_experiment AND model = judged_model
    WHERE NOT $first_judge_only OR judge = first_judge
    GROUP BY experiment, model, task_id, attempt, trajectory
),
verdicts_of_runs AS (
    SELECT run_key, FSUM(judged_success) / NULLIF(COUNT(judged_success), 0) AS judged_success,
           FSUM(score) / NULLIF(COUNT(score), 0) AS score
    FROM runs
    JOIN verdicts
      ON runs.model = verdicts.model
     AND runs.task_id = verdicts.task_id
     AND runs.experiment IS NOT DISTINCT FROM verdicts.experiment
     AND COALESCE(runs.attempt, verdicts.attempt, 1) = COALESCE(verdicts.attempt, runs.attempt, 1)
     AND (COALESCE(trajectory, '') NOT LIKE 'trajectory%.json'
          OR RIGHT(source_path, LENGTH(trajectory)) = trajectory)
    GROUP BY run_key
),
call_facts AS (
    SELECT run_key,
           COUNT(*) AS calls,
           COUNT(DISTINCT CONCAT(server, CHR(1), tool)) AS tools,
           COUNT(DISTINCT server) AS servers,
           SUM(CASE WHEN failed THEN 1 ELSE 0 END) AS failures
    FROM calls
    WHERE counted
    GROUP BY run_key
),
run_facts AS (
    SELECT runs.run_key, runs.experiment, runs.model,
           runs.task,
           CASE WHEN runs.calls > 0 OR total_rounds IS NOT NULL
                THEN COALESCE(call_facts.calls, 0) END AS calls,
           CASE WHEN runs.calls > 0 OR total_rounds IS NOT NULL
                THEN COALESCE(tools, 0) END AS tools,
           CASE WHEN runs.calls > 0 OR total_rounds IS NOT NULL
                THEN COALESCE(servers, 0) END AS servers,
           failures,
           total_rounds AS rounds,
           input_tokens + output_tokens AS tokens,
           ended_at - started_at AS seconds,
           cost_usd,
           COALESCE(CASE WHEN outcome_success THEN 1e0 WHEN NOT outcome_success THEN 0e0 END,
                    judged_success) AS success,
           score
    FROM runs
    LEFT JOIN call_facts ON call_facts.run_key = runs.run_key
    LEFT JOIN verdicts_of_runs ON verdicts_of_runs.run_key = runs.run_key
)
