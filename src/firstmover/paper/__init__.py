"""The reproduction of the paper: presets, experiments, published figures, claims and the report."""
