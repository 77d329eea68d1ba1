"""One question a module, with its SQL beside it."""
