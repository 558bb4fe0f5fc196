"""Learners of the field since 2020 beside `auto` and StackelUCB, and two published experiments in small.

`python -m studies.field` prints all tables; a name of PARTS prints one.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from sklearn.gaussian_process.kernels import RBF, Kernel

from firstmover.beliefs import ConstantWidth
from firstmover.core.contracts import Game, TypeSource
from firstmover.games import GAMES
from firstmover.games.opponent import Opponent, true_rewards
from firstmover.games.stackelberg.bimatrix import BimatrixGame
from firstmover.games.toy.opponents import raiders
from firstmover.kernels import on_action, on_type
from firstmover.learners import LEARNERS, Setup
from firstmover.runs.comparison import markdown
from firstmover.simulation import Adversary, RandomTypes, opponent_for
from firstmover.simulation.hindsight import dynamic_regret, policy_regret, regret_of_table, reward_table
from firstmover.simulation.loop import play_run
from studies.summary import means

SEEDS = range(5)
"""Development seeds."""

ROUNDS = 200

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "c-gp-mw, every": ("c-gp-mw", {"every": True}),
    "windowed:100, injected": ("windowed:100", {"injected": 0.001}),
}
"""Learners with parameters."""

TIDES = np.array([[0.4, 0.3, 0.2, 0.1, 0.0], [0.0, 0.1, 0.2, 0.3, 0.4]])
"""How often each of the five raiders of the shore comes at low and at high tide."""


class Arena(NamedTuple):
    """A game with its opponent, the assumptions of learners, the measure of regret, and the learners."""

    game: Game
    opponent: Opponent
    kernel: Kernel
    regularization: float
    width: float
    measure: str
    learners: tuple[str, ...]
    reward_kernel: Kernel | None = None


def built_in(name: str, opponent: str, learners: tuple[str, ...]) -> Arena:
    """Return a built-in game with its own assumptions; against one type and drift the learners know that it is one."""
    entry, kind = GAMES[name], opponent.partition(":")[0]
    game = entry.build()
    answering = opponent_for(name, game, opponent)
    one = kind in {"single", "drifting"} and game.types is not None
    game = replace(game, types=game.types[:1]) if one else game  # type: ignore[index]
    measure = "dynamic" if kind == "drifting" else "regret"
    return Arena(game, answering, entry.kernel, entry.regularization, entry.confidence_width, measure, learners)


def tides(learners: tuple[str, ...]) -> Arena:
    """Return the shore where the tide is known before the move, and raiders of other homes come at each tide."""
    entry = GAMES["shore"]
    plain = entry.build()
    assert plain.types is not None
    types = np.array([[*home, tide] for tide in (0.0, 1.0) for home in plain.types])
    game = replace(plain, types=types, context=(1,))
    source = RandomTypes(types, TIDES.ravel() / TIDES.sum())
    opponent = Opponent(source, lambda sites, kind: raiders(sites, kind[:1]), noise_std=0.1)
    kernel = RBF([0.25, 0.25, 1.0])
    rough = RBF([0.05, 0.25, 1.0])
    return Arena(game, opponent, kernel, entry.regularization, entry.confidence_width, "policy", learners, rough)


def tables(seed: int, learners: tuple[str, ...], opponent: str = "random") -> Arena:
    """Return payoff tables of 4 leader and 4 follower actions with 4 types, entries uniform in [0, 1]."""
    rng = np.random.default_rng([seed, 4])
    finite = BimatrixGame(rng.random((4, 4)), rng.random((4, 4, 4)))
    game, chances = finite.on_small_grid(), rng.dirichlet(np.ones(4))
    assert game.types is not None
    source: TypeSource = RandomTypes(game.types, chances)
    if opponent == "adversary":
        source = Adversary(game.types, true_rewards(game, finite.best_response))
    kernel = on_action(RBF(0.3)) * on_type(RBF(0.5))
    return Arena(game, Opponent(source, finite.best_response), kernel, 0.01, 1.0, "regret", learners)


@dataclass(frozen=True)
class Contest:
    """One learner in one arena, over several seeds; `arena` takes the seed."""

    label: str
    arena: Callable[[int], Arena]
    rounds: int = ROUNDS

    def rows(self, seeds: Sequence[int] = SEEDS) -> list[dict[str, Any]]:
        """Play every learner with every seed: regret at the end, and processor time per round."""
        return [self._row(name, seed) for name in self.arena(0).learners for seed in seeds]

    def _row(self, name: str, seed: int) -> dict[str, Any]:
        arena = self.arena(seed)
        game, opponent = arena.game, arena.opponent
        truth = true_rewards(game, opponent.respond)
        setup = Setup(
            game,
            arena.kernel,
            arena.regularization,
            ConstantWidth(arena.width),
            horizon=self.rounds,
            reward_kernel=arena.reward_kernel,
            true_rewards=truth,
        )
        entry, parameters = LEARNERS.resolve(*VARIANTS.get(name, (name, {})))
        began = process_time()
        run = play_run(game, opponent, entry.build(setup, parameters), self.rounds, seed)
        spent = 1000 * (process_time() - began) / self.rounds
        rewards = reward_table(truth, opponent.asked(run.opponent_types))
        if arena.measure == "dynamic":
            lost = dynamic_regret(run, rewards)
        elif arena.measure == "policy":
            lost = policy_regret(run, rewards, run.opponent_types[:, list(game.context)])
        else:
            lost = regret_of_table(run, rewards).cumulative
        return {"arena": self.label, "learner": name, "regret": float(lost[-1]), "ms": spent}


SINGLE = ("auto", "single-type", "gp-ucb", "composite-ei", "composite-ts")
DRIFT = ("auto", "single-type", "windowed:25", "windowed:50", "windowed:100", "windowed:100, injected")
TYPES = ("auto", "stackelucb", "hedge", "exp3", "utility-oful", "utility-exp2")
CONTEXTS = ("auto", "stackelucb", "gp-mw", "c-gp-mw", "c-gp-mw, every")

PARTS: dict[str, tuple[Contest, ...]] = {
    "composite": tuple(
        Contest(f"{name}, one type", lambda _, name=name: built_in(name, "single", SINGLE))  # type: ignore[misc]
        for name in ("shore", "prices", "harbour")
    ),
    "windowed": tuple(
        Contest(f"{name}, drifting:150", lambda _, name=name: built_in(name, "drifting:150", DRIFT), 300)  # type: ignore[misc]
        for name in ("shore", "prices", "harbour")
    ),
    "contexts": (Contest("shore, tides", lambda _: tides(CONTEXTS)),),
    "utility": (
        *(
            Contest(f"{name}, {kind}", lambda _, name=name, kind=kind: built_in(name, kind, TYPES))  # type: ignore[misc]
            for name in ("shore", "harbour")
            for kind in ("random", "adversary")
        ),
        *(
            Contest(f"payoff tables, {kind}", lambda seed, kind=kind: tables(seed, TYPES, kind))  # type: ignore[misc]
            for kind in ("random", "adversary")
        ),
    ),
}


def part(name: str, seeds: Sequence[int] = SEEDS) -> pl.DataFrame:
    """Return mean regret with 95 % half-widths, and milliseconds per round, of all learners in one part."""
    rows = [row for contest in PARTS[name] for row in contest.rows(seeds)]
    return means(pl.DataFrame(rows), ["arena", "learner"], ["regret", "ms"])


if __name__ == "__main__":
    for chosen in sys.argv[1:] or PARTS:
        print(f"{chosen}\n\n{markdown(part(chosen))}\n")
