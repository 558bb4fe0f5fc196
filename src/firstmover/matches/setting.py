"""A match made ready to be played: the game, the names, and the learner before the first round."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from firstmover.contracts import Belief, ConfidenceWidth, Game, Weights
from firstmover.errors import InvalidInput
from firstmover.matches.config import MatchConfig, ResponseSpec, check_columns, check_confidence, check_scales
from firstmover.matches.events import canonical, digest
from firstmover.matches.menu import Menu, read_menu
from firstmover.matches.observing import GameTypes, Responses, Types, Values
from firstmover.matches.own_reward import check_own
from firstmover.matches.rewards import LinearReward, check_size, reward_for
from firstmover.records import Feedback, as_array
from firstmover.strategies import STRATEGIES

if TYPE_CHECKING:  # what needs scikit-learn is loaded when it is used: an ask answered from a snapshot is quick
    from firstmover.games import GameEntry
    from firstmover.learners import Setup, StackelUCB


@dataclass(frozen=True, eq=False)
class Setting:
    """A configuration and its menu: all that the fold of a journal needs besides the events."""

    config: MatchConfig
    menu: Menu

    @classmethod
    def of(cls, fields: object) -> "Setting":
        """The setting that a user's document describes; its menu is read, and a learner built once to check all."""
        config = fields if isinstance(fields, MatchConfig) else MatchConfig.read(fields)
        check_columns(config)
        check_confidence(config)
        check_scales(config.kernel)
        setting = cls(config, read_menu(config.menu))
        check_size(setting.game.reward, setting.responses.domain)
        if config.reward is not None and config.reward.function is not None:
            game, responses = setting.game, setting.responses
            check_own(config.reward, game.reward, game.actions, responses.domain, responses.names)
        setting.learner()
        return setting

    def stored(self) -> dict[str, Any]:
        """The setting as it is kept in the journal, menu included."""
        return {"config": self.config.model_dump(mode="json"), "menu": self.menu.stored()}

    @classmethod
    def restored(cls, stored: dict[str, Any]) -> "Setting":
        """The setting that a journal keeps; the file that the menu came from is not looked at."""
        return cls(MatchConfig.read(stored["config"]), Menu.restored(stored["menu"]))

    @cached_property
    def mark(self) -> str:
        """The hash of the configuration and the menu."""
        return digest(canonical(self.stored()))

    @cached_property
    def types(self) -> Types | GameTypes:
        """How types are named."""
        if self.config.types is not None:
            return Types(tuple(self.config.types))
        return GameTypes(self._built_in().types)

    @cached_property
    def responses(self) -> Responses:
        """How responses are named."""
        if self.config.responses is not None:
            return Responses(tuple(self.config.responses))
        return Responses(tuple(ResponseSpec(name=f"y{i}") for i in range(1, self._built_in().n_outputs + 1)))

    def _built_in(self) -> Game:
        return self._entry().build()

    def _entry(self) -> "GameEntry":
        """The line of the built-in game in its table."""
        from firstmover.games import GAMES

        return GAMES[self.config.menu.game or ""]

    @cached_property
    def game(self) -> Game:
        """X, r, the response domain and Θ, as the learner knows them."""
        if self.config.menu.game is not None:
            return self._checked(self._built_in())
        spec = self.config.reward
        assert spec is not None
        actions, domain = as_array("actions", self.menu.actions, ndim=2), self.responses.domain
        reward = reward_for(spec, self.menu, actions, self.responses.names)
        span = reward.range_over(domain) if isinstance(reward, LinearReward) else None
        if spec.range is not None:
            span = (spec.range[0], spec.range[1])
        return Game(self.config.title or "match", actions, reward, domain, span, self.types.known)

    def _checked(self, game: Game) -> Game:
        """A built-in game, when it is still the one that the match was created with."""
        if not np.array_equal(game.actions, self.menu.actions):
            raise InvalidInput(f"game {game.name!r} has another menu in this firstmover: use the version of then.")
        if len(self.responses.names) != game.n_outputs:
            raise InvalidInput(f"responses names {len(self.responses.names)}: game {game.name!r} has {game.n_outputs}.")
        wide = 0 if game.types is None else game.types.shape[1]
        known = self.types.known
        if known is not None and game.types is not None and known.shape[1] != wide:
            raise InvalidInput(f"types have {known.shape[1]} feature(s): those of game {game.name!r} have {wide}.")
        return Game(game.name, game.actions, game.reward, game.response_domain, game.reward_range, known)

    @property
    def regularization(self) -> float:
        """λ."""
        given = self.config.regularization
        return given if given is not None else self._entry().regularization

    @cached_property
    def confidence(self) -> ConfidenceWidth:
        """β_t."""
        from firstmover.beliefs import ConstantWidth, LemmaWidth

        spec = self.config.confidence
        if spec is None:
            return ConstantWidth(self._entry().confidence_width)
        if spec.width is not None:
            return ConstantWidth(spec.width)
        assert spec.rkhs_norm_bound is not None
        assert spec.noise_std is not None
        assert spec.failure_probability is not None
        return LemmaWidth(
            spec.rkhs_norm_bound,
            spec.noise_std,
            self.regularization,
            spec.failure_probability,
            len(self.responses.names),
        )

    @property
    def strategy(self) -> str:
        """The name of the weights: Theorem 1's when the horizon is known, AdaHedge otherwise."""
        return self.config.strategy or ("adahedge" if self.config.horizon is None else "fixed-rate")

    def weights(self) -> Weights:
        """The weights of the first round."""
        return STRATEGIES[self.strategy].start(self.game.n_actions, self.game.reward_range, self.config.horizon)

    def setup(self, theta: list[float] | None = None) -> "Setup":
        """What the learner is built from, with hyperparameters from a refit if there was one."""
        from firstmover.kernels import kernel_from
        from firstmover.learners import Setup

        config = self.config
        kernel = self._entry().kernel if config.kernel is None else kernel_from(config.kernel)
        if theta is not None:
            kernel = kernel.clone_with_theta(np.array(theta))
        return Setup(self.game, kernel, self.regularization, self.confidence, self.strategy, config.horizon)

    def belief(self, theta: list[float] | None = None) -> Belief:
        """The belief before anything was observed; all known types are followed from the start, as later replays do."""
        belief = self.setup(theta).belief()
        for opponent_type in () if self.game.types is None else self.game.types:
            belief.predict(opponent_type)
        return belief

    def learner(self) -> "StackelUCB":
        """The learner of the first round."""
        from firstmover.learners import StackelUCB

        return StackelUCB(self.game, self.belief(), self.confidence, self.weights())

    def feedback(self, action: int, opponent_type: Values, response: Values) -> Feedback:
        """What the learner sees of recorded values."""
        return Feedback(action, self.types.vector(opponent_type), self.responses.vector(response))
