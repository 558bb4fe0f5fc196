"""Environments of gymnasium: an agent plays the leader against an opponent, or the adversary of a learner."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from firstmover.core.arrays import Vector, as_count
from firstmover.core.contracts import Game, Learner
from firstmover.core.errors import InvalidInput, installing
from firstmover.core.numerics import one_thread
from firstmover.games.opponent import Opponent
from firstmover.learners.reward_regression import observed_reward
from firstmover.simulation.agent_view import AgentView, Bounds
from firstmover.simulation.episode import Episode, information, mixture, one_index, pure
from firstmover.simulation.players import game_and_opponent, learner_in, types_to_choose

try:
    import gymnasium
    from gymnasium.spaces import Box, Discrete, Space
except ModuleNotFoundError:
    raise InvalidInput(f"gymnasium is not installed: {installing('agents')}.") from None

Step = tuple[Vector, float, bool, bool, dict[str, Any]]
"""Observation, reward, terminated (never), truncated (after the last round), information."""


def box(bounds: Bounds) -> Space[Any]:
    """Return a space of vectors between bounds, in double precision, so that observations are exact."""
    return Box(bounds.lower, bounds.upper, dtype=np.float64)


class LeaderEnv(gymnasium.Env[Vector, Any]):
    """An environment in which the agent moves first: it plays actions of the menu against a simulated opponent.

    The observation is one vector: the share of rounds left (1), the context of the coming type (c), the last type and
    the last noisy response (m). A known type is an indicator (q), another one its features (p); before the first round
    both are zeros. The reward is r(x_t, y_t) of the noisy response, as a real leader observes it; `info` has that of
    the noiseless response as `true_reward`. After `horizon` rounds an episode is truncated. Registered as
    `firstmover/Leader-v0`.

    Parameters
    ----------
    game
        A game, or the name of one in GAMES.
    opponent
        An opponent, or in a named game the name of one in OPPONENTS. An opponent that adapts to p_t sees the pure
        strategy of the agent's action.
    horizon
        T, the number of rounds of an episode.
    mixed
        Whether the agent plays a mixed strategy: non-negative weights of all actions, of which the environment draws
        one. An adaptive opponent then sees the mixture, and not the action.
    render_mode
        None, or "ansi": `render` returns the last round as text.

    Raises
    ------
    InvalidInput
        If gymnasium is not installed, or a value cannot be used.

    Examples
    --------
    >>> import gymnasium
    >>> import firstmover as fm
    >>> gymnasium.register_envs(fm.LeaderEnv)
    >>> env = gymnasium.make("firstmover/Leader-v0", game="shore", opponent="cyclic", horizon=2)
    >>> observation, info = env.reset(seed=0)
    >>> env.action_space, observation.shape
    (Discrete(24), (7,))
    >>> observation, reward, terminated, truncated, info = env.step(3)
    >>> print(observation.round(2), round(reward, 2), truncated)
    [0.5  1.   0.   0.   0.   0.   1.06] -0.03 False
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 1}  # type: ignore[misc]

    def __init__(
        self,
        game: Game | str = "shore",
        opponent: Opponent | str = "random",
        horizon: int = 200,
        *,
        mixed: bool = False,
        render_mode: str | None = None,
    ) -> None:
        self.game, self.opponent = game_and_opponent(game, opponent)
        self.horizon, self.mixed, self.render_mode = as_count("horizon", horizon), mixed, render_mode
        self.episode = Episode(self.game, self.opponent)
        self._view = view = AgentView(self.game, self.opponent, self.horizon, self.game.types)
        count = self.game.n_actions
        self.action_space: Space[Any] = box(Bounds.shares(count)) if mixed else Discrete(count)
        self.observation_space = box(Bounds.joined(Bounds.shares(1), view.of_context, view.of_type, view.of_response))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Vector, dict[str, Any]]:
        """Begin an episode; equal seeds and actions give equal episodes."""
        super().reset(seed=seed, options=options)
        self.episode = Episode(self.game, self.opponent, _episode_seed(self, seed), self.horizon)
        return self._observed(), {}

    def step(self, action: Any) -> Step:
        """Play one round."""
        count = self.game.n_actions
        played = self.episode.move(mixture(action, count) if self.mixed else pure(action, count))
        reward = observed_reward(self.game, played.feedback).item()
        return self._observed(), reward, False, played.t >= self.horizon, information(played)

    def render(self) -> str | None:
        """Return the last round as text."""
        return str(self.episode) if self.render_mode == "ansi" else None

    def _observed(self) -> Vector:
        view, episode, context = self._view, self.episode, self.episode.context()
        known = np.empty(0) if context is None else context
        return np.concatenate([view.rounds_left(episode), known, view.last_type(episode), view.last_response(episode)])


class AdversaryEnv(gymnasium.Env[Vector, Any]):
    """An environment in which the agent is the opponent of a learner: it observes p_t and chooses the type θ_t.

    This is the adaptive adversary of the paper: it sees the mixed strategy, never x_t, and the response is b(x_t, θ_t)
    with noise. The observation is the share of rounds left and p_t (1 + n), the action the number of a type, and the
    reward −r(x_t, b(x_t, θ_t)). The learner observes each round and starts again in every episode, which is truncated
    after `horizon` rounds. Registered as `firstmover/Adversary-v0`.

    Parameters
    ----------
    game
        A game, or the name of one in GAMES.
    learner
        A learner before its first round, or in a named game the name of one in LEARNERS, built with the kernel, λ and β
        of the game's entry.
    opponent
        The response function and its noise: an opponent, or in a named game the name of one in OPPONENTS. The agent
        takes the place of its source of types.
    horizon
        T, the number of rounds of an episode.
    types
        The types among which the agent chooses (q, p); those of the game if there are finitely many.
    render_mode
        None, or "ansi": `render` returns the last round as text.

    Raises
    ------
    InvalidInput
        If gymnasium is not installed, the game has a context or no finite set of types, or a value cannot be used.

    Examples
    --------
    >>> import gymnasium
    >>> import firstmover as fm
    >>> gymnasium.register_envs(fm.AdversaryEnv)
    >>> env = gymnasium.make("firstmover/Adversary-v0", game="shore", learner="stackelucb", horizon=100)
    >>> observation, info = env.reset(seed=0)
    >>> env.action_space, observation.shape, float(observation[1:].sum().round(9))
    (Discrete(5), (25,), 1.0)
    >>> observation, reward, terminated, truncated, info = env.step(4)
    >>> info["action"], round(reward, 3), round(info["true_reward"], 3)
    (22, -0.09, 0.09)
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 1}  # type: ignore[misc]

    def __init__(
        self,
        game: Game | str = "shore",
        learner: Learner | str = "stackelucb",
        opponent: Opponent | str = "random",
        horizon: int = 200,
        *,
        types: ArrayLike | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.game, self.opponent = game_and_opponent(game, opponent)
        self.types, self.horizon = types_to_choose(self.game, types), as_count("horizon", horizon)
        self._first = self.learner = learner_in(game, self.game, self.opponent, learner, self.horizon)
        self.episode = Episode(self.game, self.opponent)
        self._view, self.render_mode = AgentView(self.game, self.opponent, self.horizon, self.types), render_mode
        self.action_space: Space[Any] = Discrete(len(self.types))
        self.observation_space = box(Bounds.shares(1 + self.game.n_actions))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Vector, dict[str, Any]]:
        """Begin an episode against the learner of the first round; equal seeds and actions give equal episodes."""
        super().reset(seed=seed, options=options)
        self.episode = Episode(self.game, self.opponent, _episode_seed(self, seed), self.horizon)
        self.learner = self._first
        return self._observed(), {}

    def step(self, action: Any) -> Step:
        """Play one round against p_t with the chosen type."""
        with one_thread():
            played = self.episode.move(self.learner.strategy, self.types[one_index("action", action, len(self.types))])
            self.learner = self.learner.observe(played.feedback)
            observed = self._observed()
        return observed, -played.reward, False, played.t >= self.horizon, information(played)

    def render(self) -> str | None:
        """Return the last round as text."""
        return str(self.episode) if self.render_mode == "ansi" else None

    def _observed(self) -> Vector:
        return np.concatenate([self._view.rounds_left(self.episode), self.learner.strategy])


def _episode_seed(env: gymnasium.Env[Any, Any], seed: int | None) -> int:
    """The seed of `reset`, or else the next number of the generator that an earlier one started."""
    return int(env.np_random.integers(2**63)) if seed is None else seed


gymnasium.register("firstmover/Leader-v0", f"{__name__}:LeaderEnv")
gymnasium.register("firstmover/Adversary-v0", f"{__name__}:AdversaryEnv")
