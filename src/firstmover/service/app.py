"""The service as one ASGI application: the API over matches and stored runs, and the files of the web app."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import Depends, FastAPI
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.responses import FileResponse, PlainTextResponse, Response
from fastapi.security import HTTPBearer
from fastapi.staticfiles import StaticFiles
from starlette.routing import Match, Mount
from starlette.types import Scope

from firstmover.core.plugins import locked_plugins
from firstmover.figures.style import stylesheet
from firstmover.service import (
    access_routes,
    beginning_routes,
    change_routes,
    errors,
    match_routes,
    openapi,
    operation_routes,
    round_routes,
    view_routes,
)
from firstmover.service.access_log import AccessLog
from firstmover.service.body_limits import BodyLimits
from firstmover.service.dependencies import only_known_query
from firstmover.service.events import Listeners
from firstmover.service.match_pool import MatchPool
from firstmover.service.models import EVERY_CALL
from firstmover.service.picture_cache import PictureCache
from firstmover.service.rehearsals import Rehearsals
from firstmover.service.request_metrics import RequestMetrics
from firstmover.service.security import Guard, is_api
from firstmover.service.tokens import Tokens

if TYPE_CHECKING:
    from firstmover.service.demo import Demo
    from firstmover.service.webhook import Webhook

PAGE = Path(__file__).parent / "page"


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    with locked_plugins():  # neither a request nor a journal of the store may import modules
        preloading = asyncio.create_task(app.state.pictures.preload(app.state.matches))
        webhook: Webhook | None = app.state.webhook
        posting = [] if webhook is None else [webhook.run(app.state.pictures), webhook.remind(app.state.matches)]
        tasks = [asyncio.create_task(each) for each in posting]
        yield
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if app.state.demo is not None:
            app.state.demo.stop()
        app.state.pictures.stop()
        await app.state.rehearsals.close()
        await preloading  # it ends with the current match
        await app.state.matches.close()
        app.state.pictures.close()


def create_app(  # noqa: PLR0917 - what a service consists of
    store_url: str | Path,
    runs_folder: str | Path,
    tokens: Tokens,
    hosts: Iterable[str] = ("127.0.0.1:8642", "localhost:8642"),
    demo: "Demo | None" = None,
    webhook: "Webhook | None" = None,
) -> FastAPI:
    """Return the service over the matches of a store and the runs of a folder; `hosts` are its valid Host headers.

    A `webhook` hears of the events of all matches.
    """
    app = FastAPI(
        title="firstmover",
        version=version("firstmover"),
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.matches = MatchPool(str(store_url), None if webhook is None else webhook.report)
    app.state.webhook = webhook
    app.state.pictures = PictureCache(str(store_url), None if demo is None else demo.truths)
    app.state.listeners = Listeners()
    app.state.readiness = operation_routes.Readiness(app.state.matches)
    app.state.request_metrics = RequestMetrics()
    app.state.runs_folder = Path(runs_folder)
    app.state.tokens = tokens
    app.state.rehearsals = Rehearsals()
    app.state.demo = demo
    errors.install(app)
    openapi.install(app)
    bearer = HTTPBearer(auto_error=False, description="Made by firstmover token new.")
    routers = [
        match_routes.router,
        change_routes.router,
        round_routes.router,
        view_routes.router,
        access_routes.router,
        beginning_routes.router,
    ]
    for router in routers if demo is None else [*routers, demo.router]:
        checks = [Depends(bearer), Depends(only_known_query)]
        app.include_router(router, prefix="/v1", dependencies=checks, responses=EVERY_CALL)
    app.include_router(operation_routes.router)
    _serve_files(app)
    app.add_middleware(BodyLimits)
    app.add_middleware(GZipMiddleware, minimum_size=1000)
    app.add_middleware(Guard, hosts=tuple(hosts), tokens=tokens)
    app.add_middleware(AccessLog, metrics=app.state.request_metrics)
    return app


class _Files(Mount):
    """Files at every address outside of the API, whose unknown addresses are errors of its own."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match addresses outside of the API."""
        return (Match.NONE, {}) if is_api(scope) else super().matches(scope)


def _serve_files(app: FastAPI) -> None:
    """Serve the files of the web app and the colours of all figures; they need no token and hold no secret."""

    @app.get("/style.css", include_in_schema=False)
    async def style() -> Response:
        return PlainTextResponse(stylesheet(), media_type="text/css")

    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    async def index() -> Response:
        return FileResponse(PAGE / "index.html")

    app.router.routes.append(_Files("/", StaticFiles(directory=PAGE), name="page"))
