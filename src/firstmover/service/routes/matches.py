"""Matches: which there are, and how one begins."""

import tomllib
from typing import Any

from fastapi import APIRouter, Response

from firstmover.core.documents import parse_error_text
from firstmover.core.errors import Conflict, InvalidInput
from firstmover.core.plugins import require_plugins
from firstmover.matches import MatchConfig
from firstmover.matches.setup import completed
from firstmover.matches.template import templates
from firstmover.service.context import Caller, Matches, MatchName
from firstmover.service.errors import NotFound
from firstmover.service.requests import NewMatch
from firstmover.service.responses import (
    ListedMatch,
    MatchList,
    SettingOut,
    TemplateList,
    TemplateName,
    TemplateOut,
)
from firstmover.service.routes.answers import AFTER_CREATING, WRITING, links, refusals
from firstmover.service.routes.settings import setting_out

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
    fields = _fields(body)
    require_plugins(fields["plugins"] if isinstance(fields.get("plugins"), list) else ())
    written = MatchConfig.read(fields)
    _check_safe(written)
    config = completed(written)
    new = await matches.create(name, config)
    live = await matches.get(name)
    if not new:
        recorded = await live.run(lambda match: match.setting.config)
        if recorded not in (config, written):  # matches from before they named a learner have it as it was written
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
        raise InvalidInput(f"toml is not TOML: {parse_error_text(error)}.") from None


def _check_safe(config: MatchConfig) -> None:
    """Nothing, when a configuration reads no file and imports no code: those are for who sits at the machine."""
    if config.menu.file is not None:
        raise InvalidInput("menu.file is not taken over HTTP: send the menu as rows, or use firstmover match new.")
    if config.reward is not None and config.reward.function is not None:
        raise InvalidInput("reward.function is not taken over HTTP: begin this match with firstmover match new.")


@router.get("/templates", responses=refusals())
async def list_templates() -> TemplateList:
    """Configurations to begin with."""
    return TemplateList(templates=[TemplateName(name=each.name, about=each.summary) for each in templates().values()])


@router.get("/templates/{name}", responses=refusals())
async def show_template(name: str) -> TemplateOut:
    """A commented configuration that works as it is."""
    known = templates()
    if name not in known:
        raise NotFound(f"template {name!r} is not there: name one of {', '.join(known)}.")
    return TemplateOut(name=name, toml=known[name].text)
