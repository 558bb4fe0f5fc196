"""Records for the page, one module a view; each exports `router`, and stands in the table below."""

from fastapi import APIRouter

VIEWS: tuple[APIRouter, ...] = ()
"""Paths are whole and begin with /matches/{match}/views/ or /runs; app.py puts /api before them."""

__all__ = ["VIEWS"]
