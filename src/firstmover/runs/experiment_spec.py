"""What an experiment is: a game, an opponent, learners, rounds and seeds, read from TOML or built in code."""

import re
import reprlib
from pathlib import Path
from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from firstmover.core.documents import Specification, fields_of
from firstmover.core.errors import InvalidInput, look_up, unknown_name
from firstmover.games import BimatrixGame, game_named, tables_named
from firstmover.kernels import kernel_from
from firstmover.learners import LEARNERS
from firstmover.simulation import OPPONENTS
from firstmover.strategies import STRATEGIES

MOST_SEEDS = 10_000
MOST_ROUNDS = 10_000_000

NOISE = "noise_std"
"""The parameter that every game has: the standard deviation of the noise of its responses."""

_LABEL = re.compile(r"\w(?:(?:[\w +-]|\.(?=\d))*\w)?")
"""Names a folder on every system: no separators, and a dot only inside a number."""


class LearnerSpec(Specification):
    """A learner by its name in the LEARNERS table; what is not given is the game's or the table's default."""

    name: str
    label: str
    strategy: str = "fixed-rate"
    confidence_width: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    kernel: dict[str, Any] | None = None
    regularization: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    rate_factor: float | None = Field(default=None, gt=0, allow_inf_nan=False)

    @property
    def kind(self) -> str:
        """The name in the table: that of `fixed:3` is `fixed`."""
        return self.name.partition(":")[0]

    @property
    def action(self) -> int:
        """The action of a fixed learner: that of `fixed:3` is 3."""
        return int(self.name.partition(":")[2] or 0)

    @model_validator(mode="before")
    @classmethod
    def _labelled(cls, fields: Any) -> Any:
        """A bare name is a learner, and the label is the name unless it is given."""
        fields = {"name": fields} if isinstance(fields, str) else fields
        if isinstance(fields, dict) and isinstance(fields.get("name"), str):
            return {"label": fields["name"].replace(":", "-")} | fields
        return fields

    @field_validator("name")
    @classmethod
    def _known_name(cls, name: str) -> str:
        kind, colon, action = name.partition(":")
        look_up("learner", kind, LEARNERS)
        if (colon or kind == "fixed") and not (kind == "fixed" and re.fullmatch(r"\d{1,9}", action)):
            raise InvalidInput(
                f"learner {name!r} cannot be read: write fixed:INDEX for one action, else the bare name."
            )
        return name

    @field_validator("label")
    @classmethod
    def _names_a_folder(cls, label: str) -> str:
        if len(label) > 80 or not _LABEL.fullmatch(label):
            raise InvalidInput(
                f"label {label!r} cannot name a folder: use up to 80 letters, digits, spaces, - + _ and decimal points."
            )
        return label

    @field_validator("strategy")
    @classmethod
    def _known_strategy(cls, strategy: str) -> str:
        look_up("strategy", strategy, STRATEGIES)
        return strategy

    @field_validator("kernel")
    @classmethod
    def _buildable(cls, kernel: dict[str, Any] | None) -> dict[str, Any] | None:
        if kernel is not None:
            kernel_from(kernel)
        return kernel


class ExperimentSpec(Specification):
    """Learners that play the same game against the same opponent, each once with every seed.

    A game of payoff tables is kept with them, the leader's first: what its files say later changes nothing. Every game
    takes the parameter `noise_std`, of responses; others have more, by name.

    >>> spec = ExperimentSpec.read({"game": "shore", "rounds": 50, "seeds": 3, "learners": ["stackelucb", "fixed:3"]})
    >>> spec.seeds, [learner.label for learner in spec.learners]
    ((0, 1, 2), ['stackelucb', 'fixed-3'])
    """

    game: str
    opponent: str = "random"
    rounds: int = Field(ge=1, le=MOST_ROUNDS)
    seeds: tuple[int, ...]
    learners: tuple[LearnerSpec, ...]
    payoffs: tuple[tuple[tuple[float, ...], ...], ...] | None = None
    game_parameters: dict[str, float | int] | None = None

    @property
    def tables(self) -> BimatrixGame | None:
        """The payoff tables; None for a game by its name alone."""
        return None if self.payoffs is None else BimatrixGame(self.payoffs[0], self.payoffs[1:])

    @property
    def title(self) -> str:
        """What stands above a figure or a table."""
        count = "1 seed" if len(self.seeds) == 1 else f"{len(self.seeds)} seeds"
        return f"{self.game}, opponent {self.opponent}, {self.rounds} rounds, {count}"

    @classmethod
    def from_toml(cls, path: Path) -> Self:
        """The experiment that a TOML file describes."""
        return cls.read(fields_of(path, "Experiment"))

    @model_validator(mode="before")
    @classmethod
    def _with_payoffs(cls, fields: Any) -> Any:
        """The payoff tables of the files that the game names, unless they are given."""
        if not isinstance(fields, dict) or not isinstance(name := fields.get("game"), str):
            return fields
        if not name.startswith("bimatrix:") and fields.get("payoffs") is not None:
            raise InvalidInput(f"payoffs are given for game {name!r}: leave them out, or name a game of payoff tables.")
        if fields.get("payoffs") is not None or (tables := tables_named(name)) is None:
            return fields
        return fields | {"payoffs": [tables.leader, *tables.followers]}

    @field_validator("payoffs", mode="before")
    @classmethod
    def _tables(cls, payoffs: Any) -> Any:
        if payoffs is None:
            return None
        if not isinstance(payoffs, list | tuple) or len(payoffs) < 2:
            raise InvalidInput(f"payoffs is {reprlib.repr(payoffs)}: give the leader's table and one for each type.")
        game = BimatrixGame(payoffs[0], payoffs[1:])
        return tuple(tuple(map(tuple, table.tolist())) for table in (game.leader, *game.followers))

    @model_validator(mode="after")
    def _known_game(self) -> Self:
        model = game_named(self.game, self.tables).parameters
        known = [NOISE, *(model.model_fields if model else ())]
        for name, value in (self.game_parameters or {}).items():
            if name not in known:
                raise unknown_name(f"parameter of game {self.game!r}", name, known)
            if not value >= 0:
                raise InvalidInput(f"{name} of game {self.game!r} is {value}: give a number that is not negative.")
        return self

    @field_validator("opponent")
    @classmethod
    def _known_opponent(cls, opponent: str) -> str:
        OPPONENTS.resolve(opponent)
        return opponent

    @field_validator("seeds", mode="before")
    @classmethod
    def _counted_or_listed(cls, seeds: Any) -> Any:
        return read_seeds(seeds)

    @field_validator("learners", mode="before")
    @classmethod
    def _listed(cls, learners: Any) -> Any:
        if not isinstance(learners, list | tuple) or not learners:
            raise InvalidInput(f"learners is {reprlib.repr(learners)}: give a list of one or more.")
        return tuple(learners)

    @field_validator("learners")
    @classmethod
    def _told_apart(cls, learners: tuple[LearnerSpec, ...]) -> tuple[LearnerSpec, ...]:
        labels = [learner.label.casefold() for learner in learners]
        for label in labels:
            if labels.count(label) > 1:
                raise InvalidInput(f"label {label!r} is used by {labels.count(label)} learners: give each its own.")
        return learners


def read_seeds(seeds: Any) -> tuple[int, ...]:
    """Different whole numbers; a number of seeds means 0, 1, 2 and so on.

    >>> read_seeds(3), read_seeds([7, 1])
    ((0, 1, 2), (7, 1))
    """
    if isinstance(seeds, int) and 1 <= seeds <= MOST_SEEDS and not isinstance(seeds, bool):
        return tuple(range(seeds))
    listed = tuple(seeds) if isinstance(seeds, list | tuple) else ()
    if not listed or not all(map(_is_seed, listed)) or len(set(listed)) < len(listed):
        raise InvalidInput(
            f"seeds is {reprlib.repr(seeds)}: give how many, from 1 to {MOST_SEEDS}, or a list of different whole "
            "numbers, 0 or more."
        )
    return listed


def _is_seed(seed: object) -> bool:
    return isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed < 2**63
