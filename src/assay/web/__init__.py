"""The viewer and the arena's page: server-rendered, on loopback, nothing loaded from elsewhere."""
