"""Record, replay, break, check and compare MCP servers, frame by frame."""
