"""An environment of PettingZoo: a leader commits to a mixed strategy, and a follower answers with a type."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from firstmover.core.arrays import Vector, as_count
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput, installing
from firstmover.games.opponent import Opponent
from firstmover.learners.reward_regression import observed_reward
from firstmover.simulation.agent_view import AgentView, Bounds
from firstmover.simulation.episode import Episode, information, mixture, one_index
from firstmover.simulation.players import game_and_opponent, types_to_choose

try:
    from gymnasium.spaces import Discrete, Space
    from gymnasium.utils.seeding import np_random
    from pettingzoo import AECEnv  # type: ignore[import-untyped]

    from firstmover.simulation.gymnasium_env import box
except ModuleNotFoundError:
    raise InvalidInput(f"pettingzoo is not installed: {installing('agents')}.") from None

LEADER, FOLLOWER = "leader_0", "follower_0"
"""The agents, in the order in which they move."""


class StackelbergAEC(AECEnv[str, Vector, Any]):  # type: ignore[misc]
    """An environment of two agents: `leader_0` commits to p_t, `follower_0` sees it and chooses the type θ_t.

    The leader gives non-negative weights of all actions (n), of which the environment draws x_t; the follower gives the
    number of a type, without seeing x_t. Both observe one vector of equal layout: the share of rounds left (1), the
    indicator of the last type (q), the last noisy response (m), and the strategy that the leader has committed to (n),
    zeros while it has not. After the follower's move the leader is rewarded with r(x_t, y_t) of the noisy response, and
    the follower with −r(x_t, b(x_t, θ_t)). Episodes are truncated after `horizon` rounds.

    Parameters
    ----------
    game
        A game, or the name of one in GAMES.
    opponent
        The response function and its noise: an opponent, or in a named game the name of one in OPPONENTS. The follower
        takes the place of its source of types.
    horizon
        T, the number of rounds of an episode.
    types
        The types among which the follower chooses (q, p); those of the game if there are finitely many.
    render_mode
        None, or "ansi": `render` returns the last round as text.

    Raises
    ------
    InvalidInput
        If PettingZoo is not installed, the game has a context or no finite set of types, or a value cannot be used.

    Examples
    --------
    >>> import firstmover as fm
    >>> env = fm.StackelbergAEC("shore", horizon=2)
    >>> env.reset(seed=0)
    >>> for agent in env.agent_iter():
    ...     observation, reward, terminated, truncated, info = env.last()
    ...     print(agent, round(reward, 2), truncated)
    ...     env.step(None if truncated else [1.0] * 24 if agent == "leader_0" else 2)
    leader_0 0.0 False
    follower_0 0.0 False
    leader_0 0.78 False
    follower_0 -0.86 False
    leader_0 0.47 True
    follower_0 -0.43 True
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "firstmover_stackelberg_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        game: Game | str = "shore",
        opponent: Opponent | str = "random",
        horizon: int = 200,
        *,
        types: ArrayLike | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.game, self.opponent = game_and_opponent(game, opponent)
        self.types, self.horizon = types_to_choose(self.game, types), as_count("horizon", horizon)
        self.render_mode, self._random = render_mode, np_random(None)[0]
        self._view = view = AgentView(self.game, self.opponent, self.horizon, self.types)
        parts = Bounds.shares(1), view.of_type, view.of_response, Bounds.shares(self.game.n_actions)
        self.possible_agents, observed = [LEADER, FOLLOWER], Bounds.joined(*parts)
        self.observation_spaces = {agent: box(observed) for agent in self.possible_agents}
        self.action_spaces = {LEADER: box(Bounds.shares(self.game.n_actions)), FOLLOWER: Discrete(len(self.types))}

    def observation_space(self, agent: str) -> Space[Vector]:
        """The space of an agent's observations, the same for both."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin an episode; equal seeds and actions give equal episodes."""
        if seed is not None:
            self._random = np_random(seed)[0]
        drawn = int(self._random.integers(2**63)) if seed is None else seed
        self.episode = Episode(self.game, self.opponent, drawn, self.horizon)
        self.agents = self.possible_agents.copy()
        self.agent_selection, self._committed = LEADER, np.zeros(self.game.n_actions)
        self.rewards, self._cumulative_rewards = dict.fromkeys(self.agents, 0.0), dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}

    def observe(self, agent: str) -> Vector:  # noqa: ARG002
        """Return what an agent sees now; nothing is hidden from one of them but x_t, which neither sees."""
        view, episode = self._view, self.episode
        parts = view.rounds_left(episode), view.last_type(episode), view.last_response(episode), self._committed
        return np.concatenate(parts)

    def step(self, action: Any) -> None:
        """Take the leader's commitment, or the follower's type and with it play the round."""
        agent = self.agent_selection
        if self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if agent == LEADER:
            self._committed = mixture(action, self.game.n_actions)
            self.agent_selection = FOLLOWER
            return
        played = self.episode.move(self._committed, self.types[one_index("action", action, len(self.types))])
        self._committed, self.agent_selection = np.zeros(self.game.n_actions), LEADER
        self.rewards = {LEADER: observed_reward(self.game, played.feedback).item(), FOLLOWER: -played.reward}
        self.infos = {agent: information(played) for agent in self.agents}
        self.truncations = dict.fromkeys(self.agents, played.t >= self.horizon)
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return the last round as text."""
        return str(self.episode) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Release nothing: there is no window."""
