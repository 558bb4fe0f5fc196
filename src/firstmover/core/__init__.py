"""Values and contracts that every package uses."""
