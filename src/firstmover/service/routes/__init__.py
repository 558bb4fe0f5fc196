"""The service's own routes, one table."""

from fastapi import APIRouter

from firstmover.service.routes import events, exports, matches, rounds, settings, simulated

DEMONSTRATION: APIRouter = simulated.router
"""Routes that are there only where opponents are simulated."""

ROUTERS: tuple[APIRouter, ...] = (matches.router, settings.router, rounds.router, exports.router, events.router)

__all__ = ["DEMONSTRATION", "ROUTERS"]
