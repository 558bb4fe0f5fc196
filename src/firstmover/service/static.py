"""What the page is made of: files of this package, the colours of all figures, and plotly as its package ships it."""

from importlib.util import find_spec
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse, PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.routing import Match, Mount
from starlette.types import Scope

from firstmover.core.errors import installing
from firstmover.figures.style import stylesheet
from firstmover.service.errors import NotFound
from firstmover.service.security import is_api

PAGE = Path(__file__).parent / "page"


class _Files(Mount):
    """Files at every address but the API's, which knows by itself what it has not, and what it takes."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether the address is one of a file."""
        return (Match.NONE, {}) if is_api(scope) else super().matches(scope)


def install(app: FastAPI) -> None:
    """Serve the page; nothing in it needs a token, and nothing in it is secret."""

    @app.get("/style.css", include_in_schema=False)
    async def style() -> Response:
        return PlainTextResponse(stylesheet(), media_type="text/css")

    @app.get("/vendor/plotly.min.js", include_in_schema=False)
    async def plotly() -> Response:
        found = find_spec("plotly")
        if found is None or found.origin is None:
            raise NotFound(f"plotly is not installed: {installing('web')}.")
        return FileResponse(Path(found.origin).parent / "package_data" / "plotly.min.js", media_type="text/javascript")

    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    async def index() -> Response:
        return FileResponse(PAGE / "index.html")

    app.router.routes.append(_Files("/", StaticFiles(directory=PAGE), name="page"))
