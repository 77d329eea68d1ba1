"""The scores that lists of runs show, as SQL: of the metric most runs have, the latest of each."""

MAIN_METRIC = """
    SELECT metric FROM recorded_scores WHERE path = name
    GROUP BY metric ORDER BY COUNT(DISTINCT run_key) DESC, metric LIMIT 1
"""
LATEST_SCORES = """
    SELECT run_key, ARG_MAX_NULL(value, scored_at) AS score FROM recorded_scores
    WHERE path = name AND metric = $metric {some} GROUP BY run_key
"""
