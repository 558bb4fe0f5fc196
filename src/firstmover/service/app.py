"""The service as one ASGI application: matches, rounds, events, views and the page."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path

from fastapi import Depends, FastAPI
from fastapi.security import HTTPBearer

from firstmover.core.plugins import locked_plugins
from firstmover.service import errors, static
from firstmover.service.context import only_known_query
from firstmover.service.demo import Demo
from firstmover.service.events import Listeners
from firstmover.service.limits import Bodies
from firstmover.service.match_pool import OpenMatches
from firstmover.service.picture_cache import Traces
from firstmover.service.preload import warm
from firstmover.service.routes import DEMONSTRATION, ROUTERS
from firstmover.service.routes.simulated import Timers
from firstmover.service.security import Guard
from firstmover.service.tokens import Tokens
from firstmover.service.views import VIEWS

ABOUT = """Play a game for real over HTTP: ask for an action, tell what happened, look on.

Every call but those for the page itself needs `Authorization: Bearer …`, a token made by `firstmover token new`.
"""


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    with locked_plugins():  # neither a request nor a journal of the store may import modules
        warming = asyncio.create_task(warm(app.state.matches, app.state.traces))
        yield
        app.state.timers.stop()
        app.state.traces.stop()
        await warming  # it ends with the match that it is at
        await app.state.matches.close()
        app.state.traces.close()


def create_app(
    store_url: str | Path,
    runs_folder: str | Path,
    tokens: Tokens,
    hosts: Iterable[str] = ("127.0.0.1:8642", "localhost:8642"),
    demo: Demo | None = None,
) -> FastAPI:
    """The service over the matches of a store and the runs of a folder; `hosts` are the names that it answers to."""
    app = FastAPI(
        title="firstmover",
        version=version("firstmover"),
        description=ABOUT,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.matches, app.state.listeners = OpenMatches(str(store_url)), Listeners()
    app.state.traces, app.state.timers = Traces(str(store_url), demo), Timers()
    app.state.runs_folder, app.state.demo = Path(runs_folder), demo
    errors.install(app)
    bearer = HTTPBearer(auto_error=False, description="Made by firstmover token new.")
    for router in (*ROUTERS, *VIEWS, *(() if demo is None else (DEMONSTRATION,))):
        app.include_router(router, prefix="/api", dependencies=[Depends(bearer), Depends(only_known_query)])
    static.install(app)
    app.add_middleware(Bodies)
    app.add_middleware(Guard, hosts=tuple(hosts), tokens=tokens)
    return app
