"""See `veagentbench`."""
