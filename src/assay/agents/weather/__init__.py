"""The weather assistant: one job, written for each framework the way its makers would."""
