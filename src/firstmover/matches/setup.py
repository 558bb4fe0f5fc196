"""The setting of a match: its game, the names of types and responses, and the learner before the first round."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from firstmover.core.arrays import Mask, Vector, as_array, as_mask
from firstmover.core.contracts import Belief, ConfidenceWidth, DecidingLearner, Game
from firstmover.core.errors import InvalidInput, unknown_name
from firstmover.core.files import canonical_json, text_hash
from firstmover.core.plugins import load_plugins, providers
from firstmover.core.records import Feedback
from firstmover.games.menu import Menu
from firstmover.matches.config import MatchConfig, ResponseSpec, check_new
from firstmover.matches.menu import read_menu
from firstmover.matches.rewards import LinearReward, check_reward, reward_for
from firstmover.matches.value_schema import GameTypes, Responses, Types, Values

if TYPE_CHECKING:  # scikit-learn is loaded when it is used: an ask answered from a snapshot does not need it
    from firstmover.core.contracts import Learner
    from firstmover.core.documents import Specification
    from firstmover.games import GameEntry
    from firstmover.learners import LearnerEntry, Setup
    from firstmover.learners.decision_rules import DecisionRules


ASSUMPTIONS = {"kernel": "kernel", "regularization": "regularization", "confidence": "confidence_width"}
"""Fields of a configuration for k, λ and β, and the parameters of a learner that replace them."""

BAND = 0.9
"""The share of responses that the band of a fitted belief should hold."""


def completed(config: MatchConfig) -> MatchConfig:
    """The configuration of a new match with its learner, formula of β and the plugins of its names written down.

    A match that names no learner plays the default one. If it names weights, or a horizon beside a kernel or a game, it
    plays StackelUCB (Algorithm 1) instead, and with a kernel, λ or β `anytime`.
    """
    from firstmover.learners import DEFAULT_LEARNER

    horizon = config.horizon is not None and (config.kernel is not None or config.menu.game is not None)
    assumed = any(getattr(config, name) is not None for name in ASSUMPTIONS)
    default = "stackelucb" if config.strategy is not None or horizon else "anytime" if assumed else DEFAULT_LEARNER
    learner = config.learner or {"name": default}
    used = [learner["name"].partition(":")[0], config.menu.game, config.strategy, learner.get("strategy")]
    kernels = _names(config.kernel) + _names(learner.get("kernel"))
    plugins = [*load_plugins(config.plugins or ()), *providers([str(name) for name in used + kernels])]
    update: dict[str, Any] = {"learner": learner, "plugins": list(dict.fromkeys(plugins)) or None}
    width = config.confidence
    if width is not None and width.width is None:
        update["confidence"] = width.model_copy(update={"formula": width.formula or "tight"})
    return config.model_copy(update=update)


def _names(kernel: Any) -> list[str]:
    """The names in the description of a kernel, which may be nested."""
    if not isinstance(kernel, dict):
        return []
    return [str(kernel.get("name")), *(name for part in kernel.values() for name in _names(part))]


def _read(fields: Any) -> MatchConfig:
    """The configuration that fields describe; the plugins that they name are loaded first."""
    plugins = fields.get("plugins") if isinstance(fields, Mapping) else None
    if isinstance(plugins, list) and all(isinstance(name, str) for name in plugins):
        load_plugins(plugins)
    return MatchConfig.read(fields)


@dataclass(frozen=True, eq=False)
class Setting:
    """A configuration and its menu: all that the fold of a journal needs besides the events.

    Both may change during a match: `before` has the former settings, each with the number of the event that ended it.
    """

    config: MatchConfig
    menu: Menu
    before: tuple[tuple[int, "Setting"], ...] = ()

    @classmethod
    def of(cls, fields: object) -> "Setting":
        """The setting that a user's document describes; its menu is read, and a learner is built to check it."""
        config = completed(fields if isinstance(fields, MatchConfig) else _read(fields))
        check_new(config)
        return cls(config, read_menu(config.menu)).checked()

    def checked(self) -> "Setting":
        """Return the setting, or raise InvalidInput if no learner can play it."""
        config, game, responses = self.config, self.game, self.responses
        check_reward(config.reward, game.reward, game.actions, responses.domain, responses.names)
        self.check_learner()
        if not isinstance(self.learner(), DecidingLearner) and self.context.specs:
            raise InvalidInput(
                f"type {self.context.names[0]!r} is known before the action, and learner "
                f"{(config.learner or {})['name']!r} takes no context: leave known out, or play the learner auto."
            )
        for column in (name for spec in config.types or () for name in (spec.open or {}).values()):
            self._open(column)
        self._check_rules()
        return self

    def following(self, former: "Setting", sequence: int) -> "Setting":
        """The setting that event number `sequence` put in the place of a former one."""
        return replace(self, before=(*former.before, (sequence, former)))

    def at(self, sequence: int) -> "Setting":
        """The setting that was in force at event number `sequence`."""
        return next((former for end, former in self.before if sequence < end), self)

    def _check_rules(self) -> None:
        """Raise InvalidInput if the rules of the configuration cannot be kept."""
        if self.rules is None:
            return
        if self.commits:
            raise InvalidInput("This match commits to a mixture of all actions: leave floor, hold and change_cost out.")
        self.rules.check(self.learner(), self.game)

    @cached_property
    def rules(self) -> "DecisionRules | None":
        """The rules that every decision keeps; None if the configuration has none."""
        config, spec = self.config, self.config.floor
        if spec is None and config.hold is None and config.change_cost is None:
            return None
        from firstmover.learners.decision_rules import DecisionRules, Floor

        if spec is not None and spec.baseline not in self.menu.labels:
            raise unknown_name("action in floor.baseline", spec.baseline, self.menu.labels)
        floor = None if spec is None else Floor(self.menu.labels.index(spec.baseline), spec.at_least, spec.tolerance)
        return DecisionRules(floor, config.hold or 1, config.change_cost or 0.0)

    def stored(self) -> dict[str, Any]:
        """The setting as the journal stores it, menu included."""
        nothing = dict.fromkeys(("plugins", "learner", "floor", "hold", "change_cost", "map")) | {"warm_start": False}
        absent = {
            name for name, default in nothing.items() if getattr(self.config, name) is default
        }  # as in older ones
        config = self.config.model_dump(mode="json", exclude=absent)
        parts = [(each, name) for each in config["responses"] or () for name in ("levels", "log")]
        parts += [(config["confidence"], "formula"), (config["menu"], "congestion")]
        parts += [(each, name) for each in config["types"] or () for name in ("known", "open")]
        for part, name in parts:
            if part is not None and part[name] is None:  # older journals do not have it
                del part[name]
        return {"config": config, "menu": self.menu.stored()}

    @classmethod
    def restored(cls, stored: dict[str, Any]) -> "Setting":
        """The setting that a journal stores; the file that the menu came from is not read."""
        return cls(_read(stored["config"]), Menu.restored(stored["menu"]))

    @cached_property
    def mark(self) -> str:
        """The hash of the configuration and the menu."""
        return text_hash(canonical_json(self.stored()))

    @cached_property
    def types(self) -> Types | GameTypes:
        """The names and levels of types; without names where the game has numbered ones or the mixture is the type."""
        if self.config.types is not None:
            return Types(tuple(self.config.types))
        return GameTypes(None if self.config.menu.game is None else self._built_in.types)

    @cached_property
    def context(self) -> Types:
        """The part of the type that is known before the action; it may be empty."""
        return self.types.context if isinstance(self.types, Types) else Types((), "context")

    @property
    def _context_columns(self) -> tuple[int, ...]:
        return self.types.columns if isinstance(self.types, Types) else ()

    def closed(self, context: Values) -> list[int]:
        """The actions that are retired, or that standing rules do not allow in a context."""
        rules = [(spec.open or {}).get(context[spec.name]) for spec in self.context.specs if spec.name in context]
        asleep = [self._open(column) == 0 for column in rules if column is not None]
        ruled_out = np.flatnonzero(np.any(asleep, axis=0)).tolist() if asleep else []
        return sorted({*ruled_out, *self.menu.retired})

    def _open(self, column: str) -> Vector:
        if column not in self.menu.columns:
            raise unknown_name("column of the menu", column, self.menu.columns)
        return self.menu.columns[column]

    @cached_property
    def commits(self) -> bool:
        """Whether a round is a commitment to the mixture p_t: the opponent sees it, so that it is the type."""
        if self.config.types is not None:
            return False
        return self.config.menu.game is None or (self._built_in.places is not None and self._built_in.types is None)

    @cached_property
    def responses(self) -> Responses:
        """The names and ranges of responses."""
        given = self.config.responses
        names = range(1, self._built_in.n_outputs + 1) if given is None else ()
        return Responses(tuple(given or [ResponseSpec(name=f"y{i}") for i in names]))

    @cached_property
    def _built_in(self) -> Game:
        return self._entry().build()

    def _entry(self) -> "GameEntry":
        """The entry of the game that brings the menu."""
        from firstmover.games import GAMES

        return GAMES[self.config.menu.game or ""]

    @cached_property
    def game(self) -> Game:
        """X, r, the response domain and Θ, as the learner knows them."""
        if self.config.menu.game is not None:
            return self._checked(self._built_in)
        spec = self.config.reward
        assert spec is not None
        actions, responses = as_array("actions", self.menu.actions, ndim=2), self.responses
        reward = reward_for(spec, self.menu, actions, responses)
        levels = responses.levels is not None
        span = reward.range_over(responses.domain, levels=levels) if isinstance(reward, LinearReward) else None
        if spec.range is not None:
            span = (spec.range[0], spec.range[1])
        name, domain = self.config.title or "match", responses.domain
        loads, context = bool(self.config.menu.congestion), self._context_columns
        return Game(name, actions, reward, domain, span, self.types.known, responses.places, loads, context)

    def _checked(self, game: Game) -> Game:
        """Return the game with the types of the match, or raise an error if it does not fit the journal."""
        if not np.array_equal(game.actions, self.menu.actions):
            raise InvalidInput(
                f"game {game.name!r} has another menu in this firstmover: use the version that created the match."
            )
        if len(self.responses.outputs) != game.n_outputs:
            raise InvalidInput(f"responses names {len(self.responses.names)}: game {game.name!r} has {game.n_outputs}.")
        wide = 0 if game.types is None else game.types.shape[1]
        known = self.types.known
        if known is not None and game.types is not None and known.shape[1] != wide:
            raise InvalidInput(f"types have {known.shape[1]} feature(s): those of game {game.name!r} have {wide}.")
        return replace(game, types=known, context=self._context_columns)

    @property
    def has_kernel(self) -> bool:
        """Whether the belief about responses has the kernel of the configuration or of the game.

        Otherwise it is the learner's own or one that is fitted to the observations.
        """
        given = self._parameter("kernel", self.config.kernel) is not None or self.config.menu.game is not None
        return given and not self.learner_entry[0].fits

    @property
    def refits(self) -> bool:
        """Whether refits may come: scheduled ones, or those of a fitted belief or of a plugin's learner."""
        return self.config.hyperparameters.source != "config" or not self.has_kernel or self._from_plugin

    @cached_property
    def regularization(self) -> float:
        """λ; 1 where the belief is fitted, which finds its own."""
        if not self.has_kernel:
            return 1.0
        given = self._parameter("regularization", self.config.regularization)
        return float(given) if given is not None else self._entry().regularization

    @cached_property
    def confidence(self) -> ConfidenceWidth:
        """β_t; where the belief is fitted, the constant one whose band holds 90 % of the responses."""
        from firstmover.beliefs import ConstantWidth, LemmaWidth

        if not self.has_kernel:
            return ConstantWidth(NormalDist().inv_cdf((1 + BAND) / 2))
        width = self._parameter("confidence_width")
        if width is not None:
            return ConstantWidth(width)
        spec = self.config.confidence
        if spec is None:
            return ConstantWidth(self._entry().confidence_width)
        if spec.width is not None:
            return ConstantWidth(spec.width)
        lemma = spec.model_dump(exclude={"width"}) | {"formula": spec.formula or "sum"}
        return LemmaWidth(regularization=self.regularization, n_outputs=len(self.responses.outputs), **lemma)

    @property
    def strategy(self) -> str:
        """The name of the weights; the default is that of Theorem 1 if the horizon is known, else AdaHedge."""
        given = self._parameter("strategy", self.config.strategy)
        return given or ("adahedge" if self.config.horizon is None else "fixed-rate")

    def _parameter(self, name: str, default: Any = None) -> Any:
        """A parameter of the learner, or the default that the match gives outside of it."""
        given = (self.config.learner or {}).get(name)
        return default if given is None else given

    @cached_property
    def learner_entry(self) -> "tuple[LearnerEntry, Specification]":
        """The learner's entry in the LEARNERS table, and its parameters."""
        from firstmover.learners import LEARNERS

        given = dict(self.config.learner or {"name": "stackelucb"})
        return LEARNERS.resolve(given.pop("name"), given)

    def kernel(self, theta: list[float] | None = None) -> Any:
        """k of the learner, of the match or of the game, with the hyperparameters of a refit if there was one."""
        from firstmover.kernels import kernel_from

        given = self._parameter("kernel", self.config.kernel)
        kernel = self._entry().kernel if given is None else kernel_from(given)
        return kernel if theta is None else kernel.clone_with_theta(np.array(theta))

    def _setup(self, kernel: Any, prior: Belief | None = None) -> "Setup":
        from firstmover.learners import Setup

        common = self.regularization, self.confidence, self.strategy, self.config.horizon
        return Setup(self.game, kernel, *common, prior=prior)

    def belief(self, theta: list[float] | None = None, table: Vector | None = None) -> Belief:
        """The belief before the first observation; it tracks all known types from the start, so that replays agree.

        With the stored `table` of its kernel, the kernel is built only if it is needed. Without a kernel, it is one
        that is fitted to the observations.
        """
        game, types = self.game, self.game.types
        if not self.has_kernel:
            from firstmover.beliefs.fitted import FittedBelief

            return FittedBelief.prior(game)
        from firstmover.beliefs import FiniteBelief

        if table is None or types is None:
            belief = self._setup(self.kernel(theta)).belief()
        else:
            kernel = partial(self.kernel, theta)
            belief = FiniteBelief.prior(kernel, self.regularization, game.actions, types, game.n_outputs, table)
        for opponent_type in () if types is None else types:
            belief.predict(opponent_type)
        return belief

    def learner(self, prior: Belief | None = None) -> "Learner":
        """The learner of the first round, with its prior belief about responses if it was built already."""
        entry, parameters = self.learner_entry
        if not (self.has_kernel and entry.response_belief):
            return entry.build(self._setup(self.kernel() if self.has_kernel else None), parameters)
        kernel = self.kernel() if self._from_plugin else None  # others use it through the belief only
        return entry.build(self._setup(kernel, self.belief() if prior is None else prior), parameters)

    def shares(self, learner: "Learner") -> bool:
        """Whether the learner decides by a belief about responses, which is then the belief of the match."""
        return self.learner_entry[0].response_belief and hasattr(learner, "belief")

    @property
    def _from_plugin(self) -> bool:
        from firstmover.learners import LEARNERS

        name = (self.config.learner or {}).get("name", "").partition(":")[0]
        return name in LEARNERS.added or name in LEARNERS.packages

    def check_learner(self) -> None:
        """Raise InvalidInput for a learner that cannot play this match."""
        from firstmover.learners import DEFAULT_LEARNER

        entry, parameters = self.learner_entry
        fault = None
        if entry.needs:
            fault = f"needs {' and '.join(entry.needs)}, which only a simulation has"
        elif not entry.suits(self.game):
            fault = f"cannot play game {self.game.name!r}"
        elif entry.mixtures and not self.commits:
            fault = "adds mixtures to the menu, which a match does not record"
        name = (self.config.learner or {}).get("name")
        if fault is not None:
            raise InvalidInput(f"learner {name!r} {fault}: choose another, such as {DEFAULT_LEARNER!r}.")
        if self.config.warm_start and entry.by_probability:
            raise InvalidInput(
                f"learner {name!r} learns by the probability with which an action was drawn, which history does not "
                f"have: leave warm_start out, or choose another learner, such as {DEFAULT_LEARNER!r}."
            )
        fields = type(parameters).model_fields
        if self.config.strategy is not None and "strategy" not in fields:
            raise InvalidInput(f"learner {name!r} takes no strategy: leave {self.config.strategy!r} out.")
        self._check_assumptions(str(name), needed="kernel" in fields or entry.response_belief, fits=entry.fits)

    def _check_assumptions(self, name: str, *, needed: bool, fits: bool) -> None:
        """Raise InvalidInput unless a menu of rows has all of kernel, λ and β, or none of them where none is needed."""
        given = {each: self._parameter(of, getattr(self.config, each)) for each, of in ASSUMPTIONS.items()}
        there = [each for each, value in given.items() if value is not None]
        if fits and there:
            raise InvalidInput(f"learner {name!r} finds its own {there[0]}: leave it out, or name another learner.")
        absent = [each for each in given if each not in there]
        if self.config.menu.game is None and not fits and absent and (needed or there):
            raise InvalidInput(
                f"{absent[0]} is missing: learner {name!r} needs kernel, regularization and confidence, so give all "
                "three; or leave them and the learner out."
            )
        if self.config.hyperparameters.source != "config" and not self.has_kernel:
            raise InvalidInput(f"hyperparameters belong to a kernel, and learner {name!r} has none: leave them out.")

    def feedback(
        self,
        action: int,
        opponent_type: Values,
        response: Values,
        *,
        advised: int | None = None,
        without: Sequence[int] = (),
    ) -> Feedback:
        """Recorded values as the learner sees them."""
        seen = self.types.vector(opponent_type), self.responses.vector(response)
        return Feedback(action, *seen, self.mask(without), advised)

    def added_since(self, sequence: int) -> range:
        """The actions that were added to the menu after event number `sequence`."""
        return range(len(self.at(sequence).menu.labels), len(self.menu.labels))

    def mask(self, without: Sequence[int]) -> Mask | None:
        """The allowed actions (n,); None if all are."""
        return as_mask("allowed", ~np.isin(np.arange(len(self.menu.labels)), without)) if without else None
