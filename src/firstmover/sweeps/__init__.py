"""Learners × games × seeds × parameters: many runs, each kept by the hash of what it is, on one machine or many."""
