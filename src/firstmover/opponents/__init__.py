"""opponents."""
