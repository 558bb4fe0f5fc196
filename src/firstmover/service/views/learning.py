"""What was learnt: rewards, p_t, calibration, what is known; in a simulation, regret."""

from fastapi import APIRouter, Response

from firstmover.figures.live.learning import learning_curves
from firstmover.service.context import Live
from firstmover.service.routes.answers import refusals
from firstmover.service.views.records import JSON, Followers, answer

router = APIRouter(tags=["views"])


@router.get("/matches/{match}/views/learning", response_class=Response, responses={**JSON, **refusals()})
async def show_learning(live: Live, traces: Followers) -> Response:
    """Curves over the rounds that were told, at most 500 points each; owners and readers see the same."""
    return await answer(traces, live.name, "learning", lambda trace, _: learning_curves(trace))
