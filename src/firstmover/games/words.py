"""The words of a game: names of actions and types, and an action as a sheet of instructions."""

from collections.abc import Callable
from dataclasses import dataclass

from firstmover.core.contracts import Game
from firstmover.games.menu import Menu

MOST_ROWS = 40
"""The largest number of rows of a sheet made from the columns of a menu."""

LEADING = 5
"""The largest number of features in the headline of such a sheet."""


@dataclass(frozen=True)
class SheetRow:
    """A quantity to set: its name, value and unit, with further words below the name."""

    name: str
    value: float | str
    unit: str = ""
    words: str = ""


@dataclass(frozen=True)
class ShareGrid:
    """Shares over the cells of a rectangle, the first row at the top."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    values: list[list[float]]


@dataclass(frozen=True)
class Sheet:
    """An action to carry out: a headline, rows of quantities, and instead of them a grid where there is one."""

    headline: str
    rows: tuple[SheetRow, ...]
    words: str = ""
    grid: ShareGrid | None = None


def column_sheet(menu: Menu, action: int, _units: tuple[str, ...]) -> Sheet:
    """The columns of the menu; a label that is a name is the headline."""
    names = dict.fromkeys([*menu.features, *menu.columns])
    label, values = menu.labels[action], {name: float(menu.columns[name][action]) for name in names}
    rows = tuple(SheetRow(name, value) for name, value in list(values.items())[:MOST_ROWS])
    if not label.replace(".", "").isdecimal():
        return Sheet(label[:1].upper() + label[1:], rows)
    settings = ", ".join(f"{name} to {values[name]:g}" for name in menu.features[:LEADING])
    return Sheet(f"Set {settings}", rows)


@dataclass(frozen=True)
class Words:
    """The names that a game gives to its actions, features and known types, and its sheets.

    Parameters
    ----------
    labels, features
        One name per action, by default 0, 1, …, and one per coordinate of an action, by default x0, x1, ….
    types
        A description of every known type; None if types are only numbered.
    sheet
        The sheet of one action, from the menu, the action and the units of the responses.
    """

    labels: Callable[[Game], tuple[str, ...]] = lambda game: tuple(str(i) for i in range(game.n_actions))
    features: Callable[[Game], tuple[str, ...]] = lambda game: tuple(f"x{i}" for i in range(game.actions.shape[1]))
    types: Callable[[Game], tuple[str, ...]] | None = None
    sheet: Callable[[Menu, int, tuple[str, ...]], Sheet] = column_sheet

    def menu(self, game: Game) -> Menu:
        """The menu of the game under these names."""
        features = self.features(game)
        return Menu(self.labels(game), features, dict(zip(features, game.actions.T, strict=True)))


PLAIN = Words()
"""The words of a game without its own."""
