"""The arena: the same prompts to several agents, each run recorded, scored and paired."""
