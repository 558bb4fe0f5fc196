"""Mutation testing: small random defects of the sources, and whether the quick tests notice them."""
