"""The entry of a game in the table of games: everything that simulations, matches and the page need of it."""

# ruff: noqa: RUF009 - descriptors are meant to be shared by all entries

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from firstmover.core.errors import InvalidInput
from firstmover.core.lazy import Lazy

if TYPE_CHECKING:
    from sklearn.gaussian_process.kernels import Kernel

    from firstmover.core.contracts import Game
    from firstmover.core.documents import Specification
    from firstmover.games.map_record import MapRecord
    from firstmover.games.match_view import MatchView
    from firstmover.games.opponent import Behaviour
    from firstmover.games.words import Words


@dataclass(frozen=True)
class Template:
    """A match configuration to begin with: templates/NAME.toml of a package.

    Parameters
    ----------
    name
        Of the file, without .toml.
    summary
        One line for people.
    package
        The package whose folder `templates` has the file.

    Examples
    --------
    >>> from firstmover import GAMES
    >>> template = GAMES["harbour"].templates[0]
    >>> template.name, template.text.count("[menu]")
    ('inspections', 1)
    """

    name: str
    summary: str
    package: str

    @property
    def text(self) -> str:
        """The commented TOML, which is valid as it is."""
        return files(self.package).joinpath("templates", f"{self.name}.toml").read_text("utf-8")


@dataclass(frozen=True)
class Demonstration:
    """A match of the service's demonstration: a template (or none) with changes, and its simulated opponents.

    Parameters
    ----------
    name
        Of the match.
    behaviour
        The responses of its simulated opponents, from the game.
    template
        The configuration to begin with, or None.
    changes
        Fields that replace those of the template.

    Examples
    --------
    >>> from firstmover import GAMES
    >>> sorted(name for name in GAMES if GAMES[name].demonstration)[:2]
    ['prices', 'routing']
    """

    name: str
    behaviour: Lazy["Callable[[Game], Behaviour]"] = Lazy()
    template: Template | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def config(self) -> dict[str, Any]:
        """The configuration of the match."""
        return {**(tomllib.loads(self.template.text) if self.template else {}), **self.changes}


@dataclass(frozen=True, eq=False)
class GameEntry:
    """A game by name. Fields that need heavy modules may be references "module:attribute", imported on first use.

    Parameters
    ----------
    summary
        One line for people.
    build
        The game; its arguments are the fields of `parameters`, all optional.
    kernel, regularization, confidence_width
        Assumptions about b for a learner without data: k, λ and a constant β.
    behaviour
        The responses of the game's opponents in simulations; None for a game that is played in matches only.
    parameters, shorthand
        The model of the arguments of `build`, and the one that `NAME:VALUE` gives.
    words, map
        Names of actions and types with the sheet of an action, and the map of a match, which may be None while the
        posterior is being computed.
    templates, demonstration
        Match configurations to begin with, and the game's match in the demonstration.

    Examples
    --------
    >>> from firstmover import GAMES
    >>> shore = GAMES["shore"]
    >>> shore.build(), shore.regularization
    (Game('shore', 24 actions, 1 output, 5 types), 0.01)
    """

    summary: str
    build: Lazy["Callable[..., Game]"] = Lazy()
    kernel: Lazy["Kernel"] = Lazy()
    regularization: float = 0.01
    confidence_width: float = 1.0
    behaviour: Lazy["Callable[[Game], Behaviour] | None"] = Lazy(None)
    parameters: Lazy["type[Specification] | None"] = Lazy(None)
    shorthand: str | None = None
    words: Lazy["Words"] = Lazy("firstmover.games.words:PLAIN")
    map: Lazy["Callable[[MatchView], MapRecord | None]"] = Lazy("firstmover.games.default_map:default_map")
    templates: tuple[Template, ...] = ()
    demonstration: Demonstration | None = None

    def opponents(self, game: "Game") -> "Behaviour":
        """Return the responses of the game's opponents in simulations, or raise an error if there are none."""
        if self.behaviour is None:
            raise InvalidInput(f"game {game.name!r} has no simulated opponents: play it in a match.")
        return self.behaviour(game)
