"""The analysis of a run: regret bound, split of regret, information gain, reliability of predictions."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import Kernel

from firstmover.beliefs.noisy import WithNoise
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Run
from firstmover.kernels import pairs
from firstmover.learners import SingleType
from firstmover.simulation.hindsight import Regret
from firstmover.strategies import MultiplicativeWeights
from firstmover.theory.bounds import Premises, RegretBound, corollary_2, theorem_1
from firstmover.theory.coverage import Reliability, reliability_curve, standard_errors
from firstmover.theory.gain import GreedyGain, Rate, greedy_gain, rate_of
from firstmover.theory.lipschitz import LipschitzEstimate, estimate_reward_lipschitz
from firstmover.theory.replay import Believer, RegretSplit, Replay, split_of

MOST_NUMBERS = 100_000_000
"""The largest number of columns × points of the greedy choice: 0.8 GB."""


@dataclass(frozen=True, eq=False)
class RunAnalysis:
    """The analysis of one run, computed lazily.

    Parameters
    ----------
    learner
        Before the first round.
    run
        The rounds that it played.
    loss
        Their regret.
    failure_probability
        δ.
    reward_lipschitz
        L_r; None: it is estimated, and the bound is as good as the estimate.

    Examples
    --------
    >>> from firstmover import GAMES, StackelUCB, opponent_for, play_run, regret, true_rewards
    >>> from firstmover.theory import RunAnalysis
    >>> shore = GAMES["shore"]
    >>> game = shore.build()
    >>> opponent = opponent_for("shore", game, "random")
    >>> learner = StackelUCB.start(game, shore.kernel, shore.regularization, confidence_width=2.0, horizon=20)
    >>> run = play_run(game, opponent, learner, rounds=20, seed=0)
    >>> analysis = RunAnalysis(learner, run, regret(run, true_rewards(game, opponent.respond)), reward_lipschitz=1.0)
    >>> bool((analysis.loss.cumulative <= analysis.realised_bound.total).all())
    True
    """

    learner: Believer
    run: Run
    loss: Regret
    failure_probability: float = 0.1
    reward_lipschitz: float | None = None

    @cached_property
    def replay(self) -> Replay:
        """The beliefs of the learner, round by round."""
        return Replay.of(self.learner, self.run)

    @cached_property
    def split(self) -> RegretSplit:
        """R_1 and R_2."""
        return split_of(self.run, self.replay, self.loss)

    @property
    def t(self) -> Vector:
        """1 … T."""
        return np.arange(1.0, len(self.run.rewards) + 1)

    @property
    def _regression(self) -> Any:
        """The regression on responses, with a kernel bound to the menu and λ."""
        belief = self.learner.belief
        return belief.belief if isinstance(belief, WithNoise) else belief

    @property
    def kernel(self) -> Kernel:
        """k, bound to the menu."""
        return self._regression.kernel

    @property
    def regularization(self) -> float:
        """λ."""
        return float(self._regression.regularization)

    @cached_property
    def domain(self) -> Matrix:
        """X × Θ, or X × the observed types if types are not known beforehand."""
        game = self.learner.game
        types = np.unique(self.run.opponent_types, axis=0) if game.types is None else game.types
        return pairs(game.actions, types)

    @cached_property
    def lipschitz(self) -> LipschitzEstimate:
        """L_r, estimated over the response domain or, if that is unbounded, over the range of the responses."""
        game, true = self.learner.game, self.run.true_responses
        bounded = np.all(np.isfinite([game.response_domain.lower, game.response_domain.upper]))
        return estimate_reward_lipschitz(game, None if bounded else Box(true.min(axis=0), true.max(axis=0)))

    @cached_property
    def premises(self) -> Premises:
        """The constants of the bounds for this run."""
        game = self.learner.game
        if game.reward_range is None:
            raise InvalidInput(f"game {game.name!r} states no reward_range: the bounds need it.")
        if self.reward_lipschitz is None and not self.lipschitz.settled:
            raise InvalidInput(
                f"the reward of game {game.name!r} seems to be discontinuous, so it has no L_r and the theorems do not "
                "apply: state reward_lipschitz if it has one."
            )
        return Premises(
            self.failure_probability,
            self.lipschitz.value if self.reward_lipschitz is None else self.reward_lipschitz,
            self.regularization,
            kernel_bound=float(self.kernel.diag(self.domain).max()),
            reward_width=game.reward_range[1] - game.reward_range[0],
            n_outputs=game.n_outputs,
        )

    @cached_property
    def greedy(self) -> GreedyGain:
        """The greedy information gain over the domain."""
        rounds, points = len(self.run.rewards), len(self.domain)
        if rounds * points > MOST_NUMBERS:
            raise InvalidInput(
                f"{points:,} points in {rounds:,} rounds are too many for the greedy information gain, which keeps "
                f"their product in memory: take at most {MOST_NUMBERS // points:,} rounds."
            )
        return greedy_gain(self.kernel, self.domain, self.regularization, rounds)

    @property
    def rate(self) -> Rate | None:
        """How γ_T grows for this kernel, in the features that differ within the domain."""
        return rate_of(self.kernel, max(1, int(np.sum(np.ptp(self.domain, axis=0) > 0))))

    @property
    def bound(self) -> RegretBound:
        """The theorem's right-hand side, γ_T from above; a constant β keeps its promise only while boxes hold b."""
        return self._bound_with(self.greedy.upper)

    @property
    def realised_bound(self) -> RegretBound:
        """The same with the information that was gained in this run, which the proof allows and which is sharper."""
        return self._bound_with(self.replay.information_gains)

    def _bound_with(self, gains: Vector) -> RegretBound:
        widths = self.replay.confidence_widths
        if isinstance(self.learner, SingleType):
            return corollary_2(self.premises, self.t, widths, gains)
        weights = self.learner.weights
        if not isinstance(weights, MultiplicativeWeights) or weights.horizon is None:
            raise InvalidInput("Theorem 1 is about weights of a fixed rate: play with strategy 'fixed-rate'.")
        n, horizon = self.learner.game.n_actions, weights.horizon
        return theorem_1(self.premises, self.t, widths, gains, n_actions=n, horizon=horizon)

    @property
    def reliability(self) -> Reliability:
        """Nominal against observed shares, λ taken as the variance of the noise."""
        noise = 0.0 if isinstance(self.learner.belief, WithNoise) else self.regularization
        return reliability_curve(standard_errors(self.replay, self.run.responses, noise))
