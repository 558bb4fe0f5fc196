"""Records for the page, one module a view; each exports `router`, and stands in the table below."""

from fastapi import APIRouter

from firstmover.service.views import compare, learning, map, today

VIEWS: tuple[APIRouter, ...] = (today.router, map.router, learning.router, compare.router)
"""Paths are whole and begin with /matches/{match}/views/ or /runs; app.py puts /api before them."""

__all__ = ["VIEWS"]
