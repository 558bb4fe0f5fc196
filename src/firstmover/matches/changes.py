"""Changes of a match while it is played: actions added or retired, another reward, new levels of a type."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from firstmover.core.errors import Conflict, InvalidInput, shown, unknown_name
from firstmover.games.menu import Menu
from firstmover.matches.config import MenuSpec, RewardSpec, TypeSpec
from firstmover.matches.menu import LABELS, read_menu
from firstmover.matches.setup import Setting


class Change(NamedTuple):
    """A new setting, and what is new in it, for people; `what` is empty if nothing is."""

    setting: Setting
    what: dict[str, Any]


def add_actions(setting: Setting, rows: object) -> Change:
    """Append actions to the menu; a row that is on it already changes nothing."""
    _check_own_menu(setting, "takes no further actions")
    given = list(rows) if isinstance(rows, Iterable) and not isinstance(rows, str | Mapping) else []
    if not given or not all(isinstance(row, Mapping) for row in given):
        raise InvalidInput(f"rows is {shown(rows)}: give a list of actions, each with {_columns(setting)}.")
    names = dict.fromkeys(str(name) for row in given for name in row)
    label = setting.config.menu.label or next((name for name in LABELS if name in names), None)
    _check_columns(setting, names, label)
    fields = {"rows": [dict(row) for row in given], "label": label, "features": list(setting.menu.features)}
    menu, found = setting.menu, read_menu(MenuSpec.read(fields))
    new = [i for i in range(len(found.labels)) if not _on_menu(menu, found, i, labelled=label is not None)]
    if not new:
        return Change(setting, {})
    count = len(menu.labels)
    labels = [found.labels[i] for i in new] if label else [str(count + i) for i in range(len(new))]
    columns = {name: np.append(column, found.columns[name][new]) for name, column in menu.columns.items()}
    grown = replace(menu, labels=(*menu.labels, *labels), columns=columns)
    return Change(replace(setting, menu=grown).checked(), {"added": labels})


def _check_own_menu(setting: Setting, which: str) -> None:
    """Raise InvalidInput if the match has the menu of a game, or plays a mixture."""
    game = setting.config.menu.game
    if game is not None:
        raise InvalidInput(f"the match has the menu and reward of game {game!r}, which {which}: play a menu of rows.")
    if setting.commits:
        raise InvalidInput(f"the match commits to a mixture of all actions, which {which}: begin a new match.")


def _columns(setting: Setting) -> str:
    """The columns of the menu in words."""
    return ", ".join([setting.config.menu.label or "label", *setting.menu.columns])


def _check_columns(setting: Setting, names: Iterable[str], label: str | None) -> None:
    for name in names:
        if name != label and name not in setting.menu.columns:
            raise unknown_name("column of the menu", name, [label or "label", *setting.menu.columns])
    for name in [*([label] if label else []), *setting.menu.columns]:
        if name not in names:
            raise InvalidInput(f"rows have no column {name!r}: give each action {_columns(setting)}.")
    numbered = [label == str(i) for i, label in enumerate(setting.menu.labels)]
    if label is None and not all(numbered):
        raise InvalidInput(f"rows have no labels, and the actions of the menu do: give each {_columns(setting)}.")


def _on_menu(menu: Menu, found: Menu, i: int, *, labelled: bool) -> bool:
    """Whether row i is on the menu; raise Conflict if its label has other numbers there."""
    row = {name: float(found.columns[name][i]) for name in menu.columns}
    same = np.all([menu.columns[name] == value for name, value in row.items()], axis=0)
    alike = menu.alike(found.labels[i]) if labelled else np.flatnonzero(same).tolist()
    if not alike:
        return False
    place = next((i for i in alike if i not in menu.retired), alike[0])
    label = menu.labels[place]
    if not same[place]:
        raise Conflict(
            f"action {label!r} is on the menu with other numbers: nothing was changed; give the new action another "
            "label, and retire the old one.",
            {name: float(column[place]) for name, column in menu.columns.items()},
            row,
        )
    if place in menu.retired:
        raise InvalidInput(f"action {label!r} is on the menu, and retired: unretire it.")
    return True


def retire(setting: Setting, action: str | int, *, retired: bool) -> Change:
    """Take an action out of all coming rounds, or let it be played again."""
    menu, place = setting.menu, setting.menu.index(action)
    if setting.commits:
        raise InvalidInput("This match commits to a mixture of all actions: none can be retired.")
    if (place in menu.retired) == retired:
        return Change(setting, {})
    floor = setting.config.floor
    if floor is not None and menu.labels[place] == floor.baseline:
        raise InvalidInput(
            f"action {floor.baseline!r} is the baseline of the floor, which a match keeps: begin a new match with "
            "another baseline, and import this one."
        )
    without = sorted({*menu.retired, place}) if retired else [i for i in menu.retired if i != place]
    if len(without) == len(menu.labels):
        raise InvalidInput(f"action {menu.labels[place]!r} is the last one that is not retired: add others first.")
    what = {"retired" if retired else "unretired": menu.labels[place]}
    return Change(replace(setting, menu=replace(menu, retired=tuple(without))), what)


def set_reward(setting: Setting, reward: object) -> Change:
    """Define the reward of the rounds to come in the words of a configuration."""
    _check_own_menu(setting, "defines its own reward")
    if not isinstance(reward, RewardSpec | Mapping):
        raise InvalidInput(f"reward is {shown(reward)}: give a table, such as {{responses = {{sold = 2.5}}}}.")
    spec = reward if isinstance(reward, RewardSpec) else RewardSpec.read(reward)
    if spec == setting.config.reward:
        return Change(setting, {})
    config = setting.config.model_copy(update={"reward": spec})
    return Change(replace(setting, config=config).checked(), {"reward": spec.model_dump(mode="json")})


def add_levels(setting: Setting, name: str, levels: Sequence[str] | Mapping[str, float]) -> Change:
    """Append levels to a type: names, or names with numbers where its levels have numbers."""
    _check_own_menu(setting, "has types of its own")
    specs = {spec.name: spec for spec in setting.config.types or ()}
    if name not in specs:
        raise unknown_name("type", str(name), specs)
    spec = specs[name]
    if spec.levels is None:
        raise InvalidInput(f"type {name!r} is a number: it takes any value, and has no levels.")
    new = _new_levels(spec, levels)
    if not new:
        return Change(setting, {})
    merged: Any = {**spec.levels, **new} if isinstance(spec.levels, dict) else [*spec.levels, *new]
    read = TypeSpec.read(spec.model_dump(exclude_none=True) | {"levels": merged})
    types = [read if each is spec else each for each in setting.config.types or ()]
    config = setting.config.model_copy(update={"types": types})
    return Change(replace(setting, config=config).checked(), {"levels": {name: new}})


def _new_levels(spec: TypeSpec, levels: object) -> Any:
    """The levels that a type does not have; raise Conflict if one has another number."""
    if isinstance(spec.levels, dict):
        if not isinstance(levels, Mapping):
            raise InvalidInput(f"levels is {shown(levels)}: type {spec.name!r} has levels with numbers, so give each.")
        for level, number in levels.items():
            if level in spec.levels and spec.levels[level] != number:
                raise Conflict(
                    f"level {level!r} of type {spec.name!r} is {spec.levels[level]}, and now {shown(number)} is "
                    "given: nothing was changed; give the new level another name.",
                    {level: spec.levels[level]},
                    {level: number},
                )
        return {level: number for level, number in levels.items() if level not in spec.levels}
    if isinstance(levels, str | Mapping) or not isinstance(levels, Iterable):
        raise InvalidInput(f"levels is {shown(levels)}: give a list of names.")
    new = [level for level in levels if level not in (spec.levels or ())]
    for level in new:
        alike = [each for each in spec.levels or () if each.casefold() == str(level).casefold()]
        if alike:
            raise InvalidInput(f"level {level!r} differs from {alike[0]!r} in its letters only: use that one.")
    return new
