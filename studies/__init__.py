"""Studies beyond the paper, each a short script over the library."""
