-- Episodes of failure: from a tool's first failed call to its next success, or to the end.
-- Calls of one turn were made together and are one attempt. By the seed's rules every call
-- stands alone, and a call of another tool ends the episode.
WITH sized AS (
    SELECT run_key AS sized_run, COUNT(*) AS run_calls
    FROM calls
    GROUP BY run_key
    HAVING MAX(CASE WHEN failed AND counted THEN 1 ELSE 0 END) = 1
),
steps AS (
    SELECT run_key, position, model, task_id, attempt, server, tool, arguments_key, failed,
           blame, calls.kind, counted, place, adjacent,
           COALESCE(transient, FALSE) AS transient,
           CASE WHEN adjacent OR turn IS NULL THEN -1 - position ELSE turn END AS step,
           CASE WHEN adjacent
                THEN ROW_NUMBER() OVER (PARTITION BY run_key ORDER BY position)
                     - ROW_NUMBER() OVER (PARTITION BY run_key, server, tool ORDER BY position)
                ELSE 0
           END AS streak
    FROM calls
    JOIN sized ON sized_run = run_key
    CROSS JOIN rules_in_force
    LEFT JOIN kinds ON kinds.kind = calls.kind
    WHERE run_calls > 1 OR NOT adjacent
),
attempts AS (
    SELECT run_key, server, tool, streak, step,
           MIN(position) AS first_position,
           MIN(CASE WHEN failed THEN 0 ELSE 1 END) AS all_succeeded
    FROM steps
    GROUP BY run_key, server, tool, streak, step
),
numbered AS (
    SELECT run_key, server, tool, streak, step, first_position, all_succeeded,
           COALESCE(SUM(all_succeeded) OVER (
               PARTITION BY run_key, server, tool, streak ORDER BY first_position
               ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
           ), 0) AS episode
    FROM attempts
),
placed AS (
    SELECT steps.*, numbered.episode, numbered.all_succeeded, numbered.first_position
    FROM steps
    JOIN numbered
      ON numbered.run_key = steps.run_key AND numbered.server = steps.server
     AND numbered.tool = steps.tool AND numbered.streak = steps.streak
     AND numbered.step = steps.step
),
by_arguments AS (
    SELECT run_key, server, tool, streak, episode, arguments_key,
           MAX(CASE WHEN failed THEN 1 ELSE 0 END) * MAX(all_succeeded) AS repeated
    FROM placed
    GROUP BY run_key, server, tool, streak, episode, arguments_key
),
repeats AS (
    SELECT run_key, server, tool, streak, episode, MAX(repeated) AS repeated
    FROM by_arguments
    GROUP BY run_key, server, tool, streak, episode
),
gathered AS (
    SELECT run_key, server, tool, streak, episode,
           MIN(model) AS model, MIN(task_id) AS task_id, MIN(attempt) AS attempt,
           MIN(CASE WHEN failed THEN position END) AS position,
           MIN(place) AS place,
           MIN_BY(blame, CASE WHEN failed THEN position END) AS blame,
           MIN_BY(kind, CASE WHEN failed THEN position END) AS kind,
           SUM(CASE WHEN failed THEN 1 ELSE 0 END) AS failures,
           SUM(CASE WHEN position = first_position THEN 1 ELSE 0 END) - 1 AS attempts,
           MAX(all_succeeded) = 1 AS succeeded,
           MAX(CASE WHEN failed AND transient THEN 1 ELSE 0 END) = 1 AS transient,
           MAX(CASE WHEN adjacent THEN 1 ELSE 0 END) = 1 AS adjacent,
           MAX(CASE WHEN counted THEN 1 ELSE 0 END) = 1 AS counted
    FROM placed
    GROUP BY run_key, server, tool, streak, episode
    HAVING SUM(CASE WHEN failed THEN 1 ELSE 0 END) > 0
),
answered AS (
    SELECT run_key FROM runs WHERE TRIM(actual_output) <> ''
),
ended AS (
    SELECT gathered.run_key, gathered.server, gathered.tool, model, task_id, attempt, position,
           place, blame, kind, failures, attempts, counted, succeeded,
           succeeded AND NOT adjacent AND repeated = 1 AS same_again,
           transient,
           NOT succeeded AND NOT adjacent AND answered.run_key IS NULL AS cut_off
    FROM gathered
    LEFT JOIN answered ON answered.run_key = gathered.run_key
    JOIN repeats
      ON repeats.run_key = gathered.run_key AND repeats.server = gathered.server
     AND repeats.tool = gathered.tool AND repeats.streak = gathered.streak
     AND repeats.episode = gathered.episode
)
SELECT run_key, position, model, task_id, attempt, server, tool, blame, kind, failures,
       attempts, counted, place,
       CASE WHEN succeeded AND NOT same_again THEN 'changed'
            WHEN succeeded AND transient THEN 'waited'
            WHEN succeeded THEN 'unexplained'
            WHEN cut_off THEN 'cut off'
            WHEN attempts > 0 THEN 'not corrected'
            ELSE 'not retried'
       END AS ending
FROM ended
