"""Matches: which there are, and how one begins."""

import tomllib
from typing import Any

from fastapi import APIRouter, Response

from firstmover.errors import Conflict, InvalidInput
from firstmover.matches import MatchConfig
from firstmover.matches.template import TEMPLATES, template
from firstmover.server.context import Caller, Matches, MatchName
from firstmover.server.errors import NotFound
from firstmover.server.given import NewMatch
from firstmover.server.models import (
    ListedMatch,
    MatchList,
    SettingOut,
    TemplateList,
    TemplateName,
    TemplateOut,
)
from firstmover.server.routes.answers import AFTER_CREATING, WRITING, links, refusals
from firstmover.server.routes.settings import setting_out
from firstmover.specification import stumbled

router = APIRouter(tags=["matches"])


@router.get("/matches", responses=refusals())
async def list_matches(matches: Matches, caller: Caller) -> MatchList:
    """All matches of the store, with the number of their rounds."""
    listed = [
        ListedMatch(
            name=each.name,
            kind=each.kind,
            asked=each.asked,
            told=each.told,
            pending=each.pending,
            void=each.void,
        )
        for each in await matches.listed()
    ]
    return MatchList(role=caller, matches=listed)


@router.put(
    "/matches/{match}",
    responses={201: {"model": SettingOut, "links": links(AFTER_CREATING)}, **refusals(409, *WRITING)},
)
async def new_match(
    name: MatchName, body: NewMatch, matches: Matches, caller: Caller, response: Response
) -> SettingOut:
    """Begin a match; the same again changes nothing, another configuration is a conflict."""
    config = MatchConfig.read(_fields(body))
    _check_safe(config)
    new = await matches.create(name, config)
    live = await matches.get(name)
    if not new:
        recorded = await live.run(lambda match: match.setting.config)
        if recorded != config:
            raise Conflict(
                f"match {name!r} exists already with another configuration: nothing was changed; choose another name.",
                recorded.model_dump(mode="json"),
                config.model_dump(mode="json"),
            )
    response.status_code = 201 if new else 200
    return await live.run(lambda match: setting_out(match, caller, demo=False))


def _fields(body: NewMatch) -> dict[str, Any]:
    if (body.config is None) == (body.toml is None):
        raise InvalidInput("The body has both config and toml, or neither: give one of them.")
    if body.config is not None:
        return body.config
    try:
        return tomllib.loads(body.toml or "")
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"toml is not TOML: {stumbled(error)}.") from None


def _check_safe(config: MatchConfig) -> None:
    """Nothing, when a configuration reads no file and imports no code: those are for who sits at the machine."""
    if config.menu.file is not None:
        raise InvalidInput("menu.file is not taken over HTTP: send the menu as rows, or use firstmover match new.")
    if config.reward is not None and config.reward.function is not None:
        raise InvalidInput("reward.function is not taken over HTTP: begin this match with firstmover match new.")


@router.get("/templates", responses=refusals())
async def list_templates() -> TemplateList:
    """Configurations to begin with."""
    return TemplateList(templates=[TemplateName(name=name, about=about) for name, about in TEMPLATES.items()])


@router.get("/templates/{name}", responses=refusals())
async def show_template(name: str) -> TemplateOut:
    """A commented configuration that works as it is."""
    if name not in TEMPLATES:
        raise NotFound(f"template {name!r} is not there: name one of {', '.join(TEMPLATES)}.")
    return TemplateOut(name=name, toml=template(name))
