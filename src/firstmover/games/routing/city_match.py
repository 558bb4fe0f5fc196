"""The configuration of a live match about a city: a document that needs the city no longer."""

import json

import numpy as np

from firstmover.games.routing.city_files import has_coordinates
from firstmover.games.routing.city_game import CityGame, CityParameters
from firstmover.games.routing.network import link_names

MEASURES = {
    "congestion": ("congestion", "free-flow times lost, mean of the links"),
    "time": ("time of a trip", "minutes"),
    "emissions": ("emissions of a trip", "g of carbon monoxide"),
}
"""The name and the unit of what the whole network is measured by."""


def match_document(game: CityGame, parameters: CityParameters) -> str:
    """Return commented TOML: the menu row by row, the reward, the responses, and levels of traffic as types.

    Features that are 0 in all actions are left out. Types are levels of traffic whatever those of the game are: nobody
    counts the trips of every pair.
    """
    users, menu = game.users, game.users.controls
    used = np.flatnonzero(menu.features.any(axis=0))
    names = [menu.feature_names[i] for i in used]
    units = {"units": menu.units} if menu.units.any() else {}
    columns = dict(zip(names, menu.features[:, used].T, strict=True)) | units
    rows = [
        {"label": label} | {name: float(column[i]) for name, column in columns.items()}
        for i, label in enumerate(menu.labels)
    ]
    tolled = [link_names(users.network)[link] for link in users.tolled]
    observed = _observed(game)
    worth: dict[str, object] = {name: float(game.worth[0, k]) for k, (name, _) in enumerate(observed)}
    worth |= {f"users of {name}": {"column": name} for name in tolled}
    responses = [*observed, *((f"users of {name}", "users") for name in tolled)]
    parts = [
        f"# The traffic of {parameters.city}: play one of {len(rows)} actions each day, then report what was observed.",
        f"title = {_toml(f'Traffic of {parameters.city}')}",
        *_map(game, parameters),
        "",
        "[menu]",
        f"features = {_toml(names)}",
        *(["congestion = true  # the features are loads of links"] if game.congestion else []),
        "rows = [",
        *(f"  {_toml(row)}," for row in rows),
        "]",
        "",
        "[reward]",
        *(['value = "units"'] if units else []),
        f"responses = {_toml(worth)}",
        *(f"\n[[responses]]\nname = {_toml(name)}\nunit = {_toml(unit)}\nlower = 0.0" for name, unit in responses),
        "",
        "# The traffic of the day as a fraction of the largest demand between all pairs of zones.",
        "[[types]]",
        'name = "traffic"',
        f"levels = {_toml({f'{100 * level:g} %': level for level in parameters.levels})}",
    ]
    return "\n".join(parts) + "\n"


def _map(game: CityGame, parameters: CityParameters) -> list[str]:
    """What the map of the match is drawn from; nothing for a city without coordinates."""
    if not has_coordinates(game.users.network.positions):
        return []
    fields = parameters.model_dump(exclude_defaults=True, exclude={"trade_off", "levels", "demand"})
    comment = "# The map draws the roads of the city, if it is stored where the match is shown."
    return ["", comment, f"map = {_toml({'city': parameters.city} | fields)}"]


def _observed(game: CityGame) -> list[tuple[str, str]]:
    """The names and units of what is observed of the whole network, or of groups of links."""
    users = game.users
    if users.measured is not None:
        return [MEASURES[users.measured]]
    groups = range(1, users.n_outputs - len(users.tolled) + 1)
    return [(f"congestion of group {number}", "free-flow times lost, mean of its links") for number in groups]


def _toml(value: object) -> str:
    """A text, number, list or inline table; strings of JSON are strings of TOML."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml(name)} = {_toml(each)}" for name, each in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
