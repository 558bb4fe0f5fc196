"""The OpenAPI document of the service: what FastAPI derives from the routes, and what it cannot know."""

import re
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from firstmover.service.models import Problem

ABOUT = """Play a game for real over HTTP: ask for an action, tell what was observed.

Every call needs a token made by `firstmover token new`, as `Authorization: Bearer …` or in the cookie of a session,
except `/healthz`, `/readyz` and those for the files of the web app.
"""

TAGS = {
    "matches": "List, create, describe, rename, archive and delete matches; menus and templates.",
    "beginning": "From a spreadsheet to a match: propose and rehearse.",
    "rounds": "Ask for an action, tell what was observed, correct it, and look at what was recorded.",
    "changes": "Change the menu, the reward and the levels of a type.",
    "views": "The records that the web app draws.",
    "runs": "Stored experiments and sweeps.",
    "access": "The session of the web app, and the tokens of a team.",
}


SECTION = re.compile(r"\n\n\w+\n-{3,}\n")
"""The begin of a section of a docstring, such as Parameters: it is about Python, not about HTTP."""


def install(app: FastAPI) -> None:
    """Let an app answer with this document."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = document(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def document(app: FastAPI) -> dict[str, Any]:
    """Return the document of an app."""
    found = get_openapi(
        title=app.title,
        version=app.version,
        description=ABOUT,
        routes=app.routes,
        tags=[{"name": name, "description": about} for name, about in TAGS.items()],
        servers=[{"url": "/", "description": "This service."}],
        license_info={"name": "MIT", "identifier": "MIT"},
    )
    schemas = found["components"]["schemas"]
    schemas["Problem"] = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    for unused in ("HTTPValidationError", "ValidationError"):  # errors have another form here
        schemas.pop(unused, None)
    for schema in schemas.values():
        if "description" in schema:
            schema["description"] = SECTION.split(schema["description"])[0]
    return found
