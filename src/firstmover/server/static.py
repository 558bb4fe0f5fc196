"""What the page is made of: files of this package, the colours of all figures, and plotly as its package ships it."""

from importlib.util import find_spec
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse, PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles

from firstmover.plots.style import stylesheet
from firstmover.server.errors import NotFound

PAGE = Path(__file__).parent / "page"


def install(app: FastAPI) -> None:
    """Serve the page; nothing in it needs a token, and nothing in it is secret."""

    @app.get("/style.css", include_in_schema=False)
    async def style() -> Response:
        return PlainTextResponse(stylesheet(), media_type="text/css")

    @app.get("/vendor/plotly.min.js", include_in_schema=False)
    async def plotly() -> Response:
        found = find_spec("plotly")
        if found is None or found.origin is None:
            raise NotFound("plotly is not installed: install firstmover[web].")
        return FileResponse(Path(found.origin).parent / "package_data" / "plotly.min.js", media_type="text/javascript")

    app.mount("/", StaticFiles(directory=PAGE, html=True), name="page")
