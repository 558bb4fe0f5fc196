"""Benchmarks: firstmover beside its peers, and growth laws."""
