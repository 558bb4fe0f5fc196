"""The document of an experiment or a sweep: axes of which every combination is one run."""

import reprlib
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, PrivateAttr, ValidationInfo, field_validator, model_validator

from firstmover.core.documents import Specification, fields_of, one_of
from firstmover.core.errors import InvalidInput, counted, unknown_name
from firstmover.core.plugins import beside, load_plugins
from firstmover.games import GAMES, BimatrixGame, game_named, tables_named
from firstmover.kernels import kernel_from
from firstmover.learners import LEARNERS
from firstmover.simulation import OPPONENTS

MOST_SEEDS = 10_000
MOST_ROUNDS = 10_000_000
MOST_MEMBERS = 10_000
"""Members of an axis, and combinations of the lists of one entry."""

NOISE = "noise_std"
"""The parameter that every game has: the standard deviation of the noise of its responses."""

SIGNS = {"confidence_width": "β", "rate_factor": "η ×", "regularization": "λ", "strategy": "", "kernel": "kernel"}
"""Parameters as they are written in the name of a variant."""

Rounds = Annotated[int, Field(ge=1, le=MOST_ROUNDS), one_of(f"a whole number from 1 to {MOST_ROUNDS}")]
Payoffs = tuple[tuple[tuple[float, ...], ...], ...]


class Choice(Specification):
    """A point on the axis of games, opponents, learners or kernels.

    `variant` is the label with the values of the swept parameters. `payoffs` are the tables of a game from files, the
    leader's first: later changes of the files have no effect.
    """

    name: str
    label: str
    variant: str
    parameters: dict[str, Any] = Field(default_factory=dict)
    payoffs: Payoffs | None = None

    @field_validator("payoffs", mode="before")
    @classmethod
    def _read_payoffs(cls, payoffs: Any) -> Any:
        if payoffs is None:
            return None
        if not isinstance(payoffs, list | tuple) or len(payoffs) < 2:
            raise InvalidInput(f"payoffs is {reprlib.repr(payoffs)}: give the leader's table and one for each type.")
        game = BimatrixGame(payoffs[0], payoffs[1:])
        return tuple(tuple(map(tuple, table.tolist())) for table in (game.leader, *game.followers))


class _Noise(Specification):
    noise_std: float | None = Field(default=None, ge=0, allow_inf_nan=False)


class _OneArena(Specification):
    """The document of one game and opponent, beside the fields that every document has."""

    model_config = ConfigDict(extra="allow")

    game: str
    opponent: str = "random"
    rounds: Rounds
    game_parameters: dict[str, Any] | None = None
    payoffs: Any = None


class ExperimentSpec(Specification):
    """Learners × kernels × games × opponents × horizons × seeds, without the combinations that are left out.

    An experiment with one game may be written with `game`, `opponent`, `rounds` and `game_parameters`. A list as the
    value of a parameter stands for one entry for each of its members.

    Parameters
    ----------
    title
        Of tables and figures.
    games, opponents, learners
        Names, or tables of a name, parameters and a label.
    kernels
        Kernels of the learners that take one; none: the game's.
    horizons
        Values of T.
    seeds
        How many, meaning 0, 1, 2 and so on; or a list of them.
    leave_out
        Combinations without a run: tables of fields and values.
    keep
        What is stored of a run: "summary", the last round; "curves", 200 rounds; "rounds", all. The default is all
        rounds for one game written as `game`, and curves otherwise.
    plugins
        Modules or files that add names.

    Raises
    ------
    InvalidInput
        If a name, field or parameter is unknown, or a value is outside its range.

    Examples
    --------
    >>> from firstmover.runs import ExperimentSpec
    >>> spec = ExperimentSpec.read({"game": "shore", "rounds": 50, "seeds": 3, "learners": ["stackelucb", "fixed:3"]})
    >>> spec.seeds, [learner.label for learner in spec.learners], spec.title
    ((0, 1, 2), ['stackelucb', 'fixed-3'], 'shore, opponent random, 50 rounds, 3 seeds')
    >>> learner = {"name": "stackelucb", "confidence_width": [0.5, 2.0]}
    >>> spec = ExperimentSpec.read({"games": ["shore"], "learners": [learner, "exp3"], "horizons": [100], "seeds": 3})
    >>> [choice.variant for choice in spec.learners]
    ['stackelucb β 0.5', 'stackelucb β 2.0', 'exp3']
    """

    title: str = "sweep"
    games: tuple[Choice, ...]
    opponents: tuple[Choice, ...] = (Choice(name="random", label="random", variant="random"),)
    learners: tuple[Choice, ...]
    kernels: tuple[Choice, ...] = ()
    horizons: tuple[Rounds, ...]
    seeds: tuple[int, ...]
    leave_out: tuple[Annotated[dict[str, Any], Field(min_length=1)], ...] = ()
    keep: Literal["summary", "curves", "rounds"] = "curves"
    plugins: tuple[str, ...] = ()
    _document: dict[str, Any] = PrivateAttr(default_factory=dict)

    @classmethod
    def from_toml(cls, path: Path) -> Self:
        """Read a TOML file; files of plugins are relative to its folder.

        Parameters
        ----------
        path
            Of the file.

        Returns
        -------
        Self
            The experiment.

        Raises
        ------
        InvalidInput
            If the file cannot be read, or describes no experiment.
        """
        fields = fields_of(path, "Experiment")
        if isinstance(plugins := fields.get("plugins"), list):
            fields["plugins"] = [beside(path, name) for name in plugins]
        return cls.read(fields)

    @classmethod
    def read(cls, fields: object) -> Self:
        """Return the experiment that these fields describe."""
        spec = super().read(fields)
        assert isinstance(fields, Mapping)
        spec._document = dict(fields) | ({"plugins": list(spec.plugins)} if spec.plugins else {})
        return spec

    @property
    def document(self) -> dict[str, Any]:
        """The fields from which the experiment was read."""
        return self._document

    @model_validator(mode="before")
    @classmethod
    def _with_lists(cls, fields: Any) -> Any:
        """Load the plugins, and write one game, opponent and horizon as lists."""
        if not isinstance(fields, Mapping):
            return fields
        fields = dict(fields)
        plugins = fields.get("plugins")
        if isinstance(plugins, list | tuple) and all(isinstance(name, str) for name in plugins):
            fields["plugins"] = load_plugins(plugins)
        if "game" in fields and "games" not in fields:
            fields = _one_arena(fields)
        return fields

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.kernels and not any("kernel" in LEARNERS.takes(kind_of(choice)) for choice in self.learners):
            raise InvalidInput("kernels are given, and no learner here has a kernel: leave them out.")
        for axis in ("learners", "games", "opponents", "kernels"):
            for name, count in Counter(choice.variant.casefold() for choice in getattr(self, axis)).items():
                if count > 1:
                    raise InvalidInput(f"{axis} has {name!r} more than once: give each a label of its own.")
        return self

    @field_validator("games", "opponents", "learners", "kernels", mode="before")
    @classmethod
    def _every_choice(cls, entries: Any, info: ValidationInfo) -> Any:
        axis = str(info.field_name)
        return tuple(choice for entry in _listed(axis, entries) for choice in _choices(axis, entry))

    @field_validator("horizons", "leave_out", mode="before")
    @classmethod
    def _every_member(cls, members: Any, info: ValidationInfo) -> Any:
        return _listed(str(info.field_name), members)

    @field_validator("seeds", mode="before")
    @classmethod
    def _every_seed(cls, seeds: Any) -> Any:
        return read_seeds(seeds)


def read_seeds(seeds: Any) -> tuple[int, ...]:
    """Return different whole numbers; a number of seeds means 0, 1, 2 and so on.

    >>> read_seeds(3), read_seeds([7, 1])
    ((0, 1, 2), (7, 1))
    """
    if isinstance(seeds, int) and 1 <= seeds <= MOST_SEEDS and not isinstance(seeds, bool):
        return tuple(range(seeds))
    listed = tuple(seeds) if isinstance(seeds, list | tuple) else ()
    valid = all(isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed < 2**63 for seed in listed)
    if not listed or not valid or len(set(listed)) < len(listed):
        raise InvalidInput(
            f"seeds is {reprlib.repr(seeds)}: give how many, from 1 to {MOST_SEEDS}, or a list of different whole "
            "numbers, 0 or more."
        )
    return listed


def _one_arena(fields: dict[str, Any]) -> dict[str, Any]:
    """Write the document of one game with lists; parameters that some of its learners do not take are for the others.

    >>> _one_arena({"game": "shore", "rounds": 9, "seeds": 1, "learners": ["exp3"]})["games"]
    [{'name': 'shore'}]
    """
    given = _OneArena.read(fields)
    fields = dict(given.model_extra or {})
    if given.payoffs is not None and not given.game.startswith("bimatrix:"):
        raise InvalidInput(
            f"payoffs are given for game {given.game!r}: leave them out, or name a game of payoff tables."
        )
    if isinstance(learners := fields.get("learners"), list | tuple):
        fields["learners"] = [_without_unread(learner) for learner in learners]
    if "seeds" in fields:
        place = f"{given.game}, opponent {given.opponent}, {given.rounds} rounds"
        fields = {"title": f"{place}, {counted(len(read_seeds(fields['seeds'])), 'seed')}"} | fields
    payoffs = {} if given.payoffs is None else {"payoffs": given.payoffs}
    entry = {"name": given.game} | (given.game_parameters or {}) | payoffs
    return {"keep": "rounds"} | fields | {"games": [entry], "opponents": [given.opponent], "horizons": [given.rounds]}


def _without_unread(learner: Any) -> Any:
    if not isinstance(learner, dict) or (kind := str(learner.get("name")).partition(":")[0]) not in LEARNERS:
        return learner
    unread = set(SIGNS) - set(LEARNERS.takes(kind))
    return {name: value for name, value in learner.items() if name not in unread and value is not None}


def _listed(axis: str, value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple) or not value:
        raise InvalidInput(f"{axis} is {reprlib.repr(value)}: give a list of one or more.")
    _check_length(axis, len(value))
    for member in value:
        if list(value).count(member) > 1:
            raise InvalidInput(f"{axis} has {reprlib.repr(member)} more than once: give it once.")
    return tuple(value)


def _check_length(axis: str, count: int) -> None:
    if count > MOST_MEMBERS:
        raise InvalidInput(
            f"{axis} has {count:,} members: give at most {MOST_MEMBERS:,}, or divide the sweep into several."
        )


def _choices(axis: str, entry: Any) -> Iterator[dict[str, Any]]:
    """One point for each combination of the members of an entry's lists, checked by the entry of the table."""
    entry = {"name": entry} if isinstance(entry, str) else entry
    if not isinstance(entry, dict) or not isinstance(name := entry.get("name"), str):
        raise InvalidInput(f"{axis} has {reprlib.repr(entry)}: give a name, or a table with a name.")
    values = {key: value for key, value in entry.items() if key not in ("name", "label", "payoffs")}
    lists = {key: _listed(f"{key} in {axis}", value) for key, value in values.items() if isinstance(value, list)}
    _check_length(f"{name!r} in {axis}", prod(map(len, lists.values())))
    for members in product(*lists.values()):
        chosen = dict(zip(lists, members, strict=True))
        parameters = values | chosen
        label = _label(axis, entry, parameters)
        swept = " ".join(f"{SIGNS.get(key, key)} {_word(value)}".strip() for key, value in chosen.items())
        swept = "" if axis == "kernels" and "label" not in entry else swept
        point: dict[str, Any] = {
            "name": name,
            "label": label,
            "variant": f"{label} {swept}".strip(),
            "parameters": parameters,
        }
        if axis == "games":
            point["payoffs"] = _check_game(name, parameters, entry.get("payoffs"))
        elif axis == "kernels":
            kernel_from({"name": name} | parameters)
        elif axis == "opponents":
            OPPONENTS.resolve(name, parameters)
        else:
            LEARNERS.resolve(name, parameters)
        yield point


def _label(axis: str, entry: dict[str, Any], parameters: dict[str, Any]) -> str:
    name = entry["name"]
    default = {"learners": name.replace(":", "-"), "kernels": _word({"name": name} | parameters)}.get(axis, name)
    label = entry.get("label", default)
    if not isinstance(label, str) or not label.strip() or len(label) > 80 + len(default) or not label.isprintable():
        raise InvalidInput(
            f"label of {axis[:-1]} {name!r} is {reprlib.repr(label)}: give a text of up to 80 printable characters."
        )
    return label


def _word(value: Any) -> str:
    return " ".join(map(str, value.values())) if isinstance(value, dict) else str(value)


def kind_of(choice: Choice) -> str:
    """The name in the table: that of `fixed:3` is `fixed`."""
    return choice.name.partition(":")[0]


def _check_game(name: str, parameters: dict[str, Any], payoffs: Any) -> Any:
    """Refuse a game that cannot be, and return its payoff tables, if it has any."""
    try:
        _Noise.read({NOISE: parameters.get(NOISE)})
    except InvalidInput as error:
        raise InvalidInput(str(error).replace(NOISE, f"{NOISE} of game {name!r}", 1)) from None
    if payoffs is None and (tables := tables_named(name)) is not None:
        payoffs = [tables.leader.tolist(), *(table.tolist() for table in tables.followers)]
    kind = name.partition(":")[0]
    if payoffs is None and kind not in GAMES:
        game_named(name)  # raises an error with the known names
    own = {key: value for key, value in parameters.items() if key != NOISE}
    known = [NOISE, *(GAMES.takes(kind) if payoffs is None else ())]
    for key in own:
        if key not in known:
            raise unknown_name(f"parameter of game {name!r}", key, known)
    if payoffs is None:
        GAMES.resolve(name, own)
    return payoffs
