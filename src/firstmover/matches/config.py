"""The configuration of a match: menu, reward, responses, types and assumptions, in TOML or JSON."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from firstmover.core.documents import Specification, fields_of, one_of
from firstmover.core.errors import InvalidInput, shown, unknown_name
from firstmover.core.plugins import beside
from firstmover.matches.names import writable
from firstmover.strategies import STRATEGIES

Number = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
LARGEST = 1e100
"""Larger numbers of actions, types or responses are typing errors, and their squares may overflow."""

MOST_LOGARITHM = 200.0
"""Largest upper bound of a response that is a logarithm: its exponential must be a number of ordinary size."""

SMALLEST_SCALE = LARGEST**-0.5
"""Smallest length scale of a kernel for which the square of the largest difference over it is finite."""

Cell = Annotated[str | Number, one_of("a finite number or a text")]

Name = Annotated[
    str,
    Field(min_length=1, max_length=80, pattern=r"^[^\s=,][^=,\n\r]*$"),
    one_of("a name of 1 to 80 characters in one line, without = and , and without a space before it"),
]
"""A name that can be written before the equals sign of `demand=high`."""

LEVELS = "a list of names, or names with finite numbers, as in {low = 0.0, high = 1.0}; no name has = or , in it"


class MenuSpec(Specification):
    """X: rows in the document, a CSV or Parquet file, or the menu of a game of the GAMES table.

    With `congestion` the features are loads of links, and the responses the congestion that they cause.
    """

    rows: list[dict[str, Cell]] | None = None
    file: str | None = None
    game: str | None = None
    label: str | None = None
    features: list[Name] | None = None
    congestion: bool | None = None

    @model_validator(mode="after")
    def _one_source(self) -> "MenuSpec":
        given = [name for name in ("rows", "file", "game") if getattr(self, name) is not None]
        if len(given) != 1:
            raise InvalidInput(f"menu has {' and '.join(given) or 'no source'}: give one of rows, file and game.")
        if self.game is not None:
            from firstmover.games import GAMES

            GAMES.find(self.game)
        return self


class Share(Specification):
    """A known number of each action: a column of the menu times a factor."""

    column: Name
    times: Number = 1.0


Coefficient = Annotated[
    Number | Name | Share, one_of('a finite number, the name of a column, or {column = "units", times = 2.0}')
]
"""A number, the name of a column of the menu, or a column times a factor."""

Worth = Annotated[
    Number | Name | Share | dict[Name, Coefficient],
    Field(union_mode="left_to_right"),
    one_of('a finite number, the name of a column, {column = "units", times = 2.0}, or such a worth of each level'),
]
"""The worth of one unit of a response, or of each of its levels."""

FunctionName = Annotated[
    str, Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$"), one_of("a function of a module, as in module:function")
]


class RewardSpec(Specification):
    """r(x, y) = value(x) + Σ_k coefficient_k(x) · y_k; or a function of the user's own, as module:function.

    The worth of a response that is one of some levels is a table of levels, as in {north = "loss north", south = -3.0}.

    A function takes rows of features (k, d) and of responses (k, m) and returns rewards (k,). Its maximum over a box
    follows from `directions` (+1 rises, −1 falls, one per response), from `lipschitz` (in the sum of absolute
    differences), or from its own method `best_in_box`.
    """

    value: Coefficient = 0.0
    responses: dict[Name, Worth] = Field(default_factory=dict)
    function: FunctionName | None = None
    directions: list[Literal[-1, 1]] | None = None
    lipschitz: NonNegative | None = None
    range: list[Number] | None = Field(default=None, min_length=2, max_length=2)


class ResponseSpec(Specification):
    """What is observed after an action: a number with its unit for people and its range, or one of some levels.

    A number that is recorded as a `log`arithm, as many sales are, counts as its exponential in the reward.
    """

    name: Name
    unit: str = ""
    lower: Number | None = None
    upper: Number | None = None
    levels: Annotated[list[Name] | None, one_of("a list of names without = and , in them")] = None
    log: bool | None = None

    @model_validator(mode="after")
    def _ordered(self) -> "ResponseSpec":
        if self.levels is not None and (len(self.levels) < 2 or len(set(self.levels)) < len(self.levels)):
            raise InvalidInput(
                f"levels of response {self.name!r} is {self.levels!r}: give two or more different names."
            )
        if self.levels is not None and (self.lower is not None or self.upper is not None or self.log):
            raise InvalidInput(f"response {self.name!r} has levels and a range: leave lower, upper and log out.")
        if self.log and (self.upper is None or self.upper > MOST_LOGARITHM):
            raise InvalidInput(
                f"response {self.name!r} is a logarithm with upper {self.upper}: give at most {MOST_LOGARITHM:g}."
            )
        if self.lower is not None and self.upper is not None and not self.lower < self.upper:
            raise InvalidInput(
                f"response {self.name!r} has lower {self.lower} and upper {self.upper}: give a lower below the upper."
            )
        return self


class TypeSpec(Specification):
    """One feature of the opponent's type, observed after the action: a number, or one of some levels.

    Levels with numbers (`levels = {low = 0.0, high = 1.0}`) are on a scale; a list of names
    (`levels = ["weekday", "weekend"]`) has no order: each becomes a feature of its own, 0 or 1.

    One that is `known` before the action is part of the context of a round. `open` names columns of the menu for some
    of its levels: at such a level, actions with 0 in the column are not allowed.
    """

    name: Name
    unit: str = ""
    levels: Annotated[dict[Name, Number] | list[Name] | None, one_of(LEVELS)] = None
    known: Literal["before"] | None = None
    open: dict[Name, Name] | None = None

    @model_validator(mode="after")
    def _some(self) -> "TypeSpec":
        if self.levels is not None and (not self.levels or len(set(self.levels)) < len(self.levels)):
            raise InvalidInput(f"levels of type {self.name!r} is {self.levels!r}: give one or more different names.")
        if self.open is not None and (self.known is None or self.levels is None):
            raise InvalidInput(f'type {self.name!r} has open: give it levels, and known = "before".')
        for level in self.open or ():
            if level not in (self.levels or ()):
                raise unknown_name(f"level of type {self.name!r}", level, self.levels or ())
        return self


class ConfidenceSpec(Specification):
    """β: a constant `width`, or that of `LemmaWidth`; journals without its `formula` were played with the sum."""

    width: NonNegative | None = None
    rkhs_norm_bound: Positive | None = None
    noise_std: NonNegative | None = None
    failure_probability: Annotated[float, Field(gt=0, lt=1)] | None = None
    formula: Literal["tight", "sum", "printed"] | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> "ConfidenceSpec":
        lemma = [self.rkhs_norm_bound, self.noise_std, self.failure_probability]
        if (self.width is None) == (None in lemma):
            raise InvalidInput(
                "confidence needs either width, or rkhs_norm_bound, noise_std and failure_probability: give one kind."
            )
        return self


class HyperparameterSpec(Specification):
    """The source of the kernel's hyperparameters: the document, a fit after imports, or fits on a schedule."""

    source: Literal["config", "history", "schedule"] = "config"
    every: int = Field(default=50, ge=1)
    at_least: int = Field(default=20, ge=2)
    at_most: int = Field(default=500, ge=2)


SharePart = Annotated[float, Field(ge=0, le=1)]


class FloorSpec(Specification):
    """A share of what the action with a label earns, below which few rounds may lie."""

    baseline: str
    at_least: SharePart = 0.95
    tolerance: SharePart = 0.05


class MatchConfig(Specification):
    """The configuration of a match; only events of its journal change it.

    A game of the GAMES table brings its own reward, types and responses. Without a learner, and without kernel,
    regularization and confidence, the default learner is played, which needs none of them. Journals of earlier versions
    have neither: they play StackelUCB with the weights of `strategy`.

    Parameters
    ----------
    plugins
        Modules or files that add names to the tables.
    title
        Shown to people.
    menu
        X: rows, a file, or a game of the GAMES table.
    learner
        A name of the LEARNERS table, or a table of the name and the learner's parameters.
    reward
        r(x, y).
    responses
        What is observed after an action.
    types
        The features of the opponent's type. Empty if no type is reported: all opponents are alike. None if the response
        has levels and the opponent sees the mixture that the leader commits to.
    kernel
        k, as a table of its name and parameters.
    regularization
        λ.
    confidence
        β_t.
    strategy
        A name of the STRATEGIES table.
    horizon
        T, the number of rounds.
    hyperparameters
        Whether and when those of the kernel are fitted.
    floor, hold, change_cost
        Rules that every decision keeps.
    warm_start
        Whether imported rows count as rounds for the weights, too.
    map
        The fields of a city's game whose roads are drawn; actions are those with the labels of its menu.

    Raises
    ------
    InvalidInput
        If a field is unknown, missing, or of a wrong type, or fields contradict each other.

    Examples
    --------
    >>> from firstmover.matches import MatchConfig
    >>> config = MatchConfig.read({"menu": {"game": "shore"}, "horizon": 100})
    >>> config.horizon, config.menu.game
    (100, 'shore')
    """

    plugins: list[str] | None = None
    title: str = ""
    menu: MenuSpec
    learner: dict[str, Any] | None = None
    reward: RewardSpec | None = None
    responses: list[ResponseSpec] | None = Field(default=None, min_length=1)
    types: list[TypeSpec] | None = None
    kernel: dict[str, Any] | None = None
    regularization: Positive | None = None
    confidence: ConfidenceSpec | None = None
    strategy: str | None = None
    horizon: int | None = Field(default=None, ge=1, le=10**15)
    hyperparameters: HyperparameterSpec = HyperparameterSpec()
    floor: FloorSpec | None = None
    hold: int | None = Field(default=None, ge=1)
    change_cost: NonNegative | None = None
    warm_start: bool = False
    map: dict[str, Any] | None = None

    @field_validator("learner", mode="before")
    @classmethod
    def _named_learner(cls, learner: Any) -> Any:
        fields = {"name": learner} if isinstance(learner, str) else learner
        if fields is not None and not (isinstance(fields, dict) and isinstance(fields.get("name"), str)):
            raise InvalidInput(f"learner is {shown(learner)}: give a name, or a table with a name and parameters.")
        return fields

    @model_validator(mode="after")
    def _complete(self) -> "MatchConfig":
        if self.strategy is not None:
            STRATEGIES.find(self.strategy)
        chosen = [entry for entry in self.responses or () if entry.levels is not None]
        needed = ("reward", "responses") if chosen else ("reward", "responses", "types")
        missing = [name for name in needed if getattr(self, name) is None]
        if self.menu.game is None and missing:
            raise InvalidInput(f"{missing[0]} is missing: give it; only a built-in game brings its own.")
        if chosen and (self.menu.game is not None or len(self.responses or ()) > 1):
            raise InvalidInput(
                f"response {chosen[0].name!r} has levels: it must be the only response, in a menu of rows or a file."
            )
        menu = self.menu
        if menu.game is not None and (self.reward is not None or menu.features or menu.label or menu.congestion):
            raise InvalidInput("menu.game brings its own reward, features, labels and congestion: leave them out.")
        for part in ("responses", "types"):
            names = [entry.name for entry in getattr(self, part) or ()]
            if len(set(names)) < len(names):
                raise InvalidInput(f"{part} name {names}: give each its own name.")
        return self


def sorted_levels(spec: TypeSpec) -> list[str] | None:
    """The levels of a type; those with numbers in the order of their numbers, which a journal does not keep."""
    return sorted(spec.levels, key=spec.levels.__getitem__) if isinstance(spec.levels, dict) else spec.levels


def check_new(config: MatchConfig) -> None:
    """Checks of new matches only: configurations in older journals may fail them."""
    spec = config.confidence
    given = spec.model_dump(exclude={"width"}, exclude_none=True) if spec is not None and spec.width is not None else {}
    for name, value in given.items():
        raise InvalidInput(f"confidence.{name} is {value}, beside a constant width: leave one of the two out.")
    if config.menu.features == []:
        raise InvalidInput("menu.features is []: name one or more columns, or leave it out for all that hold numbers.")
    names = [entry.name for entry in [*(config.types or ()), *(config.responses or ())]]
    taken = next((name for name in names if name in ("action", "round") or names.count(name) > 1), None)
    if taken is not None:
        raise InvalidInput(f"{taken!r} names a type or response, and another column of files: give it another name.")
    levels = [level for entry in [*(config.types or ()), *(config.responses or ())] for level in entry.levels or ()]
    for name in (*names, *levels, *(config.menu.features or ())):
        if not writable(name):
            raise InvalidInput(
                f"{shown(name)} names a type, response, level or feature: give a name that can be written."
            )
    if config.map is not None:
        from firstmover.games.routing.city_game import CityParameters

        CityParameters.read(config.map)
    _check_scales(config.kernel, "kernel")
    _check_scales((config.learner or {}).get("kernel"), "learner.kernel")


def _check_scales(kernel: object, where: str) -> None:
    """Raise InvalidInput for a length scale so small that squared differences over it overflow."""
    for name, value in kernel.items() if isinstance(kernel, Mapping) else ():
        _check_scales(value, f"{where}.{name}")
        if str(name).endswith("_scale") and isinstance(value, int | float) and 0 < value < SMALLEST_SCALE:
            raise InvalidInput(f"{where}.{name} is {value:g}: a length scale must be at least {SMALLEST_SCALE:g}.")


def read_document(path: Path) -> dict[str, Any]:
    """The fields of a TOML or JSON file; paths in it are relative to its folder."""
    fields: Any = fields_of(path, "Match")
    if not isinstance(fields, dict):
        return fields
    menu, plugins = fields.get("menu"), fields.get("plugins")
    if isinstance(menu, dict) and isinstance(menu.get("file"), str):
        menu["file"] = str(path.parent / menu["file"])
    if isinstance(plugins, list):
        fields["plugins"] = [beside(path, name) for name in plugins]
    return fields
