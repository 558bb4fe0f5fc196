"""firstmover match menu, add-actions, retire, unretire, set-reward and add-levels."""

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from firstmover.cli.matches.options import (
    STORE,
    AsJson,
    MaybeReason,
    Name,
    Store,
    answer,
    cell,
    named_values,
    table,
)

Action = Annotated[str, typer.Argument(metavar="ACTION", help="The action, by its label or its index.")]


def menu(name: Name, store: Store = STORE, as_json: AsJson = False) -> None:
    """List the actions, those that are retired too, and the changes so far; read-only."""
    from firstmover.matches import Match

    with Match.open(store, name, read_only=True) as opened:
        log, shown = opened.change_log(), opened.setting.menu
    rows: list[dict[str, Any]] = [
        {"action": i, "label": label, "columns": {name: float(column[i]) for name, column in shown.columns.items()}}
        | {"retired": i in shown.retired}
        for i, label in enumerate(shown.labels)
    ]
    lines = [{"label": row["label"], **row["columns"], "retired": "yes" if row["retired"] else None} for row in rows]
    answer(
        as_json,
        {"actions": rows, "changes": [change._asdict() for change in log]},
        table(lines),
        *[
            f"{each.clock[:10]} {cell(each.words)}{f' ({cell(each.reason)})' if each.reason else ''}, by {each.actor}."
            for each in log
        ],
    )


def add_actions(  # noqa: PLR0917 - one parameter per option
    name: Name,
    action: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=VALUE,…", help="An action, such as label=6,price=6.0; repeat it.", show_default=False
        ),
    ] = None,
    file: Annotated[
        Path | None, typer.Option(help="CSV, Parquet or JSON file with one row per action.", show_default=False)
    ] = None,
    decimal: Annotated[str | None, typer.Option(help="The decimal sign of the file, a comma or a point.")] = None,
    reason: MaybeReason = None,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Append actions to the menu; past rounds stay as they are."""
    from firstmover.core.errors import InvalidInput, counted
    from firstmover.matches import Match
    from firstmover.matches.action_rows import read_actions

    if (file is None) == (not action):
        raise InvalidInput("add-actions needs either --action, once for each, or --file with all of them: give one.")
    with Match.open(store, name) as opened:
        before = len(opened.setting.menu.labels)
        rows = [_row(text) for text in action or ()] if file is None else read_actions(file, opened.setting, decimal)
        new = opened.add_actions(rows, reason=reason)
        labels = opened.setting.menu.labels
    added = list(labels[before:]) if new else []
    words = f"Added {', '.join(map(cell, added))}: the menu has {counted(len(labels), 'action')}."
    answer(
        as_json,
        {"new": new, "added": added, "actions": len(labels)},
        words if new else "All of them are on the menu already: nothing changed.",
    )


def _row(text: str) -> dict[str, str]:
    """The columns of an action; a comma that no name follows belongs to the value before it.

    >>> _row("label=6,50 €, price=6.5")
    {'label': '6,50 €', 'price': '6.5'}
    """
    found = named_values("action", re.split(r",(?=[^,=]*=)", text))
    if not isinstance(found, dict):
        from firstmover.core.errors import InvalidInput

        raise InvalidInput(f"--action is {text!r}: give its columns, as in label=6,price=6.0.")
    return found


def retire(
    name: Name, action: Action, reason: MaybeReason = None, store: Store = STORE, as_json: AsJson = False
) -> None:
    """Take an action out of all rounds to come; it stays on the menu."""
    _retire(name, action, reason, store, as_json=as_json, retired=True)


def unretire(
    name: Name, action: Action, reason: MaybeReason = None, store: Store = STORE, as_json: AsJson = False
) -> None:
    """Let a retired action be played again."""
    _retire(name, action, reason, store, as_json=as_json, retired=False)


def _retire(name: str, action: str, reason: str | None, store: str, *, as_json: bool, retired: bool) -> None:
    from firstmover.matches import Match

    with Match.open(store, name) as opened:
        new = (opened.retire if retired else opened.unretire)(action, reason=reason)
        shown = opened.setting.menu
        label = shown.labels[shown.index(action)]
    words = "is retired: no further round plays it." if retired else "may be played again."
    was = "was retired before" if retired else "was not retired"
    answer(
        as_json,
        {"action": label, "retired": retired, "new": new},
        f"Action {label!r} {words if new else f'{was}: nothing changed.'}",
    )


def set_reward(  # noqa: PLR0917 - one parameter per option
    name: Name,
    config: Annotated[
        Path | None,
        typer.Option(help="TOML or JSON file with the table reward of a configuration.", show_default=False),
    ] = None,
    value: Annotated[
        str | None,
        typer.Option(
            metavar="VALUE", help="A number or a column of the menu that every round earns.", show_default=False
        ),
    ] = None,
    response: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=WORTH",
            help="The worth of one unit of a response, a number or a column, such as sold=price; repeat it.",
            show_default=False,
        ),
    ] = None,
    reason: MaybeReason = None,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Define the reward again: decisions follow it, and told rounds keep what they earned."""
    from firstmover.core.errors import InvalidInput
    from firstmover.matches import Match
    from firstmover.matches.rewards import reward_formula

    if (config is None) == (value is None and not response):
        raise InvalidInput("set-reward needs either --config, or --response and perhaps --value: give one of them.")
    reward = _worths(value, response) if config is None else _reward_table(config)
    with Match.open(store, name) as opened:
        new = opened.set_reward(reward, reason=reason)
        spec = opened.setting.config.reward
    formula = "" if spec is None else reward_formula(spec)
    answer(
        as_json,
        {"new": new, "reward": formula},
        f"The reward is now {cell(formula)}." if new else "That is the reward already: nothing changed.",
    )


def _reward_table(path: Path) -> object:
    """The table reward of a configuration; the file may have no other."""
    from firstmover.core.documents import fields_of
    from firstmover.core.errors import InvalidInput

    fields: object = fields_of(path, "Match")
    if not isinstance(fields, dict) or "reward" not in fields:
        raise InvalidInput(f"Match file {str(path)!r} has no table reward: give it, as in a configuration.")
    return fields["reward"]


def _worths(value: str | None, responses: list[str] | None) -> dict[str, Any]:
    """The reward of options: numbers as numbers, other texts as columns of the menu."""
    from firstmover.core.errors import InvalidInput

    worths = named_values("response", responses)
    if not isinstance(worths, dict):
        raise InvalidInput(f"--response is {worths!r}: give a response and its worth, as in sold=price.")
    return {
        **({} if value is None else {"value": _number(value)}),
        "responses": {name: _number(worth) for name, worth in worths.items()},
    }


def _number(text: str) -> float | str:
    from firstmover.core.documents import is_number

    return float(text) if is_number(text) else text


def add_levels(  # noqa: PLR0917 - one parameter per option
    name: Name,
    type_name: Annotated[str, typer.Argument(metavar="TYPE", help="Name of the type.")],
    levels: Annotated[
        list[str],
        typer.Argument(metavar="LEVEL…", help="Levels; with numbers where the type has them, such as hot=2.0."),
    ],
    reason: MaybeReason = None,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Append levels to a type of the opponent."""
    from firstmover.matches import Match
    from firstmover.matches.config import sorted_levels

    given = _numbered(levels) if any("=" in level for level in levels) else levels
    with Match.open(store, name) as opened:
        new = opened.add_levels(type_name, given, reason=reason)
        spec = next(each for each in opened.setting.config.types or () if each.name == type_name)
    known = sorted_levels(spec) or []
    answer(
        as_json,
        {"new": new, "type": type_name, "levels": known},
        f"Type {type_name!r} has the levels {', '.join(known)}."
        if new
        else f"Type {type_name!r} has them already: nothing changed.",
    )


def _numbered(levels: list[str]) -> dict[str, float]:
    """Levels with their numbers."""
    from firstmover.core.documents import is_number
    from firstmover.core.errors import InvalidInput

    found: dict[str, float] = {}
    for level in levels:
        name, _, number = level.partition("=")
        if not is_number(number):
            raise InvalidInput(f"level {level!r} has no number, and others do: write all of them as in hot=2.0.")
        if name.strip() in found:
            raise InvalidInput(f"level {name.strip()!r} is given twice: give it once.")
        found[name.strip()] = float(number)
    return found
