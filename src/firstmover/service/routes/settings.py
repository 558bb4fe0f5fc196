"""What a match is about, and its menu."""

from fastapi import APIRouter, Request

from firstmover.figures.live.maps import type_descriptions
from firstmover.games import GAMES
from firstmover.matches import Match
from firstmover.matches.config import Coefficient, RewardSpec, Share, TypeSpec
from firstmover.matches.menu import kind_of
from firstmover.matches.value_schema import GameTypes
from firstmover.service.context import Caller, Limit, Live, Offset
from firstmover.service.responses import MenuOut, MenuRow, NamedResponse, NamedType, SettingOut
from firstmover.service.routes.answers import refusals
from firstmover.service.tokens import Role

router = APIRouter(tags=["matches"])


@router.get("/matches/{match}", responses=refusals())
async def show_match(live: Live, caller: Caller, request: Request) -> SettingOut:
    """What a match is about: menu, types, responses, reward, and the whole configuration."""
    demo = request.app.state.demo
    is_demo = demo is not None and live.name in demo
    return await live.run(lambda match: setting_out(match, caller, demo=is_demo))


@router.get("/matches/{match}/menu", responses=refusals())
async def show_menu(live: Live, offset: Offset = 0, limit: Limit = 100) -> MenuOut:
    """The actions of a match, label and features."""

    def read(match: Match) -> MenuOut:
        menu = match.setting.menu
        chosen = range(len(menu.labels))[offset : offset + limit]
        rows = [MenuRow(action=i, label=menu.labels[i], features=menu.described(i)) for i in chosen]
        return MenuOut(rows=rows, total=len(menu.labels))

    return await live.run(read)


def setting_out(match: Match, role: Role, *, demo: bool) -> SettingOut:
    """A match's setting, as it is sent."""
    setting = match.setting
    config = setting.config
    return SettingOut(
        name=match.name,
        kind=kind_of(config.menu.game),
        title=config.title,
        actions=len(setting.menu.labels),
        features=list(setting.menu.features),
        types=_types(match),
        responses=[
            NamedResponse(name=spec.name, unit=spec.unit, lower=spec.lower, upper=spec.upper)
            for spec in setting.responses.specs
        ],
        reward=GAMES[config.menu.game or ""].summary if config.reward is None else reward_in_words(config.reward),
        config=config.model_dump(mode="json"),
        role=role,
        demo=demo,
    )


def _types(match: Match) -> list[NamedType]:
    types = match.setting.types
    if not isinstance(types, GameTypes):
        return [_named(spec) for spec in types.specs]
    levels = None if types.known is None else [str(number) for number in range(1, len(types.known) + 1)]
    said = type_descriptions(match.setting)
    about = None if said is None else list(said)
    return [NamedType(name="type", unit="", levels=levels, numbers=levels is None, about=about)]


def _named(spec: TypeSpec) -> NamedType:
    levels = spec.levels
    if isinstance(levels, dict):
        levels = sorted(levels, key=levels.__getitem__)  # a journal keeps names in alphabetical order
    return NamedType(name=spec.name, unit=spec.unit, levels=levels, numbers=False)


def reward_in_words(spec: RewardSpec) -> str:
    """What a round earns, as one would say it.

    >>> print(reward_in_words(RewardSpec(value="units", responses={"congestion": -10.0})))
    units + (-10) · congestion
    """
    if spec.function is not None:
        return f"{spec.function}(action, response)"
    parts = [f"{_said(worth)} · {name}" for name, worth in spec.responses.items()]
    return " + ".join([_said(spec.value), *parts])


def _said(coefficient: Coefficient) -> str:
    if isinstance(coefficient, Share):
        return f"{coefficient.times:g} · {coefficient.column}"
    if isinstance(coefficient, str):
        return coefficient
    return f"{coefficient:g}" if coefficient >= 0 else f"({coefficient:g})"
