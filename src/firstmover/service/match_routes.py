"""Routes of matches: list, create, describe, rename, archive, delete; menus and templates."""

import tomllib
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from firstmover.core.documents import parse_error_text
from firstmover.core.errors import Conflict, InvalidInput
from firstmover.core.plugins import require_plugins
from firstmover.figures.live.maps import type_descriptions
from firstmover.games import GAMES
from firstmover.matches import Match, MatchConfig
from firstmover.matches.config import sorted_levels
from firstmover.matches.menu import kind_of
from firstmover.matches.rewards import reward_formula
from firstmover.matches.schedule import Schedule
from firstmover.matches.setup import Setting, completed
from firstmover.matches.template import templates
from firstmover.matches.value_schema import GameTypes
from firstmover.service.dependencies import Actor, Caller, Flag, Limit, Live, Matches, MatchName, Offset, Owner
from firstmover.service.errors import NotFound
from firstmover.service.models import (
    WITH_BODY,
    Archived,
    Description,
    MatchList,
    MenuRow,
    MenuRows,
    NamedType,
    New,
    NewMatch,
    NewName,
    NewSchedule,
    ScheduleState,
    TemplateList,
    TemplateText,
    errors,
    links,
)
from firstmover.service.tokens import Role

router = APIRouter(tags=["matches"])

NEXT = links("ask_next", "ask", "status", "list_rounds", "show_match", "import_history", "show_menu", "add_actions")


@router.get("/matches")
async def list_matches(
    matches: Matches, caller: Caller, archived: Flag = False, offset: Offset = 0, limit: Limit = 1000
) -> MatchList:
    """The matches of the store by name, with the number of their rounds; archived ones only on request."""
    found = await matches.listed(archived=archived)
    return MatchList(role=caller, matches=found[offset : offset + limit], total=len(found))


@router.put("/matches/{match}", responses={201: {"model": Description, "links": NEXT}, **errors(409), **WITH_BODY})
async def new_match(  # noqa: PLR0917 - one parameter per dependency
    name: MatchName, body: NewMatch, matches: Matches, caller: Owner, actor: Actor, response: Response
) -> Description:
    """Create a match; idempotent, and a conflict if it exists with another configuration."""
    fields = _fields(body)
    require_plugins(fields["plugins"] if isinstance(fields.get("plugins"), list) else ())
    written = MatchConfig.read(fields)
    if written.menu.file is not None:
        raise InvalidInput("menu.file is not taken over HTTP: send the menu as rows, or use firstmover match new.")
    if written.reward is not None and written.reward.function is not None:
        raise InvalidInput("reward.function is not taken over HTTP: create this match with firstmover match new.")
    config = completed(written)
    new = await matches.create(name, config, actor)
    live = await matches.get(name)
    if not new:
        recorded = await live.run(lambda match: match.state().setting.at(1).config)  # as it was created
        if completed(recorded) != config:  # old matches name neither their learner nor the formula of β
            raise Conflict(
                f"match {name!r} exists already with another configuration: nothing was changed; choose another name.",
                recorded.model_dump(mode="json"),
                config.model_dump(mode="json"),
            )
    response.status_code = 201 if new else 200
    return await live.run(lambda match: _description(match, caller, demo=False))


def _fields(body: NewMatch) -> dict[str, Any]:
    if (body.config is None) == (body.toml is None):
        raise InvalidInput("The body has both config and toml, or neither: give one of them.")
    if body.config is not None:
        return body.config
    try:
        return tomllib.loads(body.toml or "")
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"toml is not TOML: {parse_error_text(error)}.") from None


@router.get("/matches/{match}")
async def show_match(live: Live, caller: Caller, request: Request) -> Description:
    """Menu, types, responses, reward, and the whole configuration of a match."""
    demo = request.app.state.demo
    is_demo = demo is not None and live.name in demo.demonstrations
    return await live.run(lambda match: _description(match, caller, demo=is_demo))


@router.put("/matches/{match}/name", responses={**errors(409), **WITH_BODY})
async def rename(live: Live, _: Owner, body: NewName, actor: Actor) -> New:
    """Give a match another name, which is part of its address from then on."""
    return New(new=await live.run(lambda match: match.rename(body.name), actor))


@router.put("/matches/{match}/archived", responses=WITH_BODY)
async def archive(live: Live, _: Owner, body: Archived, actor: Actor) -> New:
    """Archive a match, so that it is not listed and records nothing, or let it go on."""
    return New(new=await live.run(lambda match: match.archive() if body.archived else match.unarchive(), actor))


@router.get("/matches/{match}/schedule")
async def show_schedule(live: Live) -> ScheduleState:
    """When rounds of a match are due."""
    return await live.run(lambda match: ScheduleState(schedule=match.state().schedule, due=match.due()))


@router.put("/matches/{match}/schedule", responses=WITH_BODY)
async def set_schedule(live: Live, _: Owner, body: NewSchedule, actor: Actor) -> New:
    """Set when rounds are due, or end the schedule; it reminds people and never asks."""
    given = None if body.schedule is None else Schedule.read(body.schedule)
    return New(new=await live.run(lambda match: match.set_schedule(given), actor))


@router.delete("/matches/{match}", responses={**errors(409), **WITH_BODY})
async def delete_match(
    live: Live, _: Owner, confirm: Annotated[str, Query(max_length=80)], head: Annotated[str, Query(max_length=64)]
) -> New:
    """Delete a match whose journal was exported: confirm its name, and give the hash of the last event there."""
    await live.run(lambda match: match.delete_exported(confirm=confirm, head=head))
    return New(new=True)


@router.get("/matches/{match}/menu")
async def show_menu(live: Live, offset: Offset = 0, limit: Limit = 100) -> MenuRows:
    """The actions of a match by label and numbers, those that are retired too."""

    def read(match: Match) -> MenuRows:
        menu = match.state().setting.menu
        chosen = range(len(menu.labels))[offset : offset + limit]
        rows = [
            MenuRow(
                action=i,
                label=menu.labels[i],
                features=menu.described(i),
                columns={name: float(column[i]) for name, column in menu.columns.items()},
                retired=i in menu.retired,
            )
            for i in chosen
        ]
        return MenuRows(rows=rows, total=len(menu.labels))

    return await live.run(read)


def _description(match: Match, role: Role, *, demo: bool) -> Description:
    setting = match.state().setting
    config = setting.config
    return Description(
        name=match.name,
        kind=kind_of(config.menu.game),
        title=config.title,
        actions=len(setting.menu.labels),
        features=list(setting.menu.features),
        types=_types(setting),
        responses=list(setting.responses.specs),
        reward=GAMES[config.menu.game or ""].summary if config.reward is None else reward_formula(config.reward),
        config=config.model_dump(mode="json"),
        role=role,
        demo=demo,
    )


def _types(setting: Setting) -> list[NamedType]:
    types = setting.types
    if setting.commits:
        return []  # the mixture is the type, and nobody tells it
    if not isinstance(types, GameTypes):
        return [
            NamedType(
                name=spec.name, unit=spec.unit, levels=sorted_levels(spec), numbers=False, before=bool(spec.known)
            )
            for spec in types.specs
        ]
    levels = None if types.known is None else [str(number) for number in range(1, len(types.known) + 1)]
    about = type_descriptions(setting)
    return [NamedType(name="type", unit="", levels=levels, numbers=levels is None, about=about)]


def _templates() -> dict[str, TemplateText]:
    return {name: TemplateText(name=name, about=each.summary, toml=each.text) for name, each in templates().items()}


@router.get("/templates")
async def list_templates(offset: Offset = 0, limit: Limit = 100) -> TemplateList:
    """Configurations to begin with."""
    found = list(_templates().values())
    return TemplateList(templates=found[offset : offset + limit], total=len(found))


@router.get("/templates/{name}")
async def show_template(name: str) -> TemplateText:
    """A commented configuration that is valid as it is."""
    known = _templates()
    if name not in known:
        raise NotFound(f"template {name!r} does not exist: name one of {', '.join(known)}.")
    return known[name]
