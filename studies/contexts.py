"""`auto` with contexts that are known before the move, and with actions that are closed in some rounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
import polars as pl

from firstmover.core.arrays import Mask, Matrix, Vector
from firstmover.core.contracts import Game, Learner, TypeSource
from firstmover.core.records import Feedback, Round
from firstmover.games.opponent import Opponent, true_rewards
from firstmover.games.prices.game import SEGMENTS, prices_game, road_stations
from firstmover.games.prices.opponents import Customers
from firstmover.learners.auto import auto
from firstmover.runs import Task
from firstmover.runs.arena.families import REPORT, WEEKDAYS, kiosk, random_prices
from firstmover.simulation import Adversary, AdversaryInContext, RandomTypes
from firstmover.simulation.hindsight import policy_regret, ranking_regret, regret_of_table, reward_table
from firstmover.simulation.intervals import mean_interval
from firstmover.simulation.loop import Masks, play_run
from firstmover.theory import Premises, theorem_1
from studies.summary import means

RIGHT, HINT_ROUNDS, LAST = 0.8, 300, 100
"""How often a hint is right, the rounds with hints, and those that count."""

PARTNER = (3, 2, 1, 0)
"""The segment that a wrong hint names in "hint, partner": residents for travellers, taxis for commuters, and back."""

KIOSK_ROUNDS, ROUNDS, LABELS, CLOSED, FIRST = 60, 200, 3, 0.2, 20
"""Rounds at a kiosk, rounds of the other games, meaningless contexts, the share of actions that are closed, and the
first round in which a regret is compared with its bound."""


class Contest(NamedTuple):
    """A game with its opponent, the learner, the number of rounds, and which actions are allowed."""

    game: Game
    opponent: Opponent
    learner: Learner
    rounds: int
    allowed: Masks | None = None


@dataclass(frozen=True, eq=False)
class Separate:
    """A learner of its own for each context, of the game without contexts."""

    game: Game
    learners: Mapping[bytes, Learner]

    @property
    def strategy(self) -> Vector:
        """That of a new learner: no context is given."""
        return self._learner(b"").strategy

    def _learner(self, key: bytes) -> Learner:
        return self.learners.get(key) or auto(replace(self.game, context=()))

    def decide(self, context: Vector | None = None, allowed: Mask | None = None) -> Vector:  # noqa: ARG002
        """p_t of the learner of this context."""
        return self._learner(b"" if context is None else np.ascontiguousarray(context).tobytes()).strategy

    def observe(self, feedback: Feedback) -> Self:
        """One more round for the learner of its context."""
        key = feedback.opponent_type[list(self.game.context)].tobytes()
        return replace(self, learners={**self.learners, key: self._learner(key).observe(feedback)})


def hinted(wrong: tuple[int, ...] | None) -> tuple[Matrix, Vector]:
    """Return segments with the indicator of a hint as features, and their probabilities.

    A wrong hint names each of the other segments as often, or the one that `wrong` has for the segment.
    """
    q = len(SEGMENTS)
    chances = np.full((q, q), (1 - RIGHT) / (q - 1)) if wrong is None else (1 - RIGHT) * np.eye(q)[list(wrong)]
    np.fill_diagonal(chances, RIGHT)
    types = np.array([[*segment, *hint] for segment in SEGMENTS for hint in np.eye(q)])
    kept = chances.ravel() > 0
    return types[kept], chances.ravel()[kept] / q


def price_contest(label: str) -> Contest:
    """Return the built-in price game with the segment known before the move, with a hint about it, or without."""
    customers, plain = Customers(road_stations()), prices_game()
    if label in {"segment known", "no hint"}:
        context = (0, 1, 2) if label == "segment known" else ()
        game, source = replace(plain, context=context), RandomTypes(SEGMENTS)
    else:
        types, chances = hinted(PARTNER if label == "hint, partner" else None)
        game, source = replace(plain, types=types, context=(3, 4, 5, 6)), RandomTypes(types, chances)
    opponent = Opponent(source, lambda prices, kind: customers(prices, kind[:3]), noise_std=0.02)
    return Contest(game, opponent, auto(game), HINT_ROUNDS)


def kiosk_contest(label: str, seed: int) -> Contest:
    """Return a kiosk at which the weekday is known before, in one game or in a separate one for each weekday."""
    instance, context = kiosk(seed), tuple(range(1, 1 + WEEKDAYS))
    game = replace(instance.game, context=context)
    learner = Separate(game, {}) if label == "seven learners" else auto(game)
    return Contest(game, instance.opponent, learner, KIOSK_ROUNDS)


def labelled_contest(label: str, seed: int) -> Contest:
    """Return a price game with a context that says nothing about the type, or without it; types by an adversary or not.

    In "groups" the context is the group of the type, and the adversary chooses among the types of the group.
    """
    adversary = "adversary" in label
    instance = random_prices(seed, "adversary" if adversary else "random")
    plain, respond = instance.game, instance.opponent.respond
    assert plain.types is not None
    p = plain.types.shape[1]
    if label.startswith("groups"):
        types = np.column_stack([plain.types, np.arange(len(plain.types)) % 2])
    elif label.startswith("label"):
        types = np.array([[*kind, *label] for kind in plain.types for label in np.eye(LABELS)])
    else:
        types = plain.types
    context = tuple(range(p, types.shape[1]))
    game = replace(plain, types=types, context=context)

    def answer(actions: Matrix, opponent_type: Vector, /) -> Matrix:
        return respond(actions, opponent_type[:p])

    source: TypeSource = RandomTypes(types) if not adversary else Adversary(types, true_rewards(game, answer))
    if adversary and context:
        source = AdversaryInContext(types, true_rewards(game, answer), context)
    opponent = Opponent(source, answer, instance.opponent.noise_std)
    return Contest(game, opponent, auto(game), ROUNDS)


def closed_contest(label: str, seed: int) -> Contest:
    """Return a price game of which a fifth of the actions is closed at random in each round, or none."""
    instance = random_prices(seed, "random")
    n = instance.game.n_actions

    def some(_: Sequence[Round], rng: np.random.Generator) -> Mask:
        return rng.permutation(n) >= round(CLOSED * n)

    masks = some if label == "a fifth closed" else None
    return Contest(instance.game, instance.opponent, auto(instance.game), ROUNDS, masks)


HINTS = ("segment known", "hint", "hint, partner", "no hint")
KIOSKS = ("weekday", "seven learners")
NOTHING = ("label, random", "none, random", "label, adversary", "none, adversary", "groups, adversary")
CLOSURES = ("a fifth closed", "open")


def contest(label: str, seed: int) -> Contest:
    """Return the contest of a label on the game of a seed; there is one game with hints."""
    if label in HINTS:
        return price_contest(label)
    if label in KIOSKS:
        return kiosk_contest(label, seed)
    return closed_contest(label, seed) if label in CLOSURES else labelled_contest(label, seed)


@dataclass(frozen=True)
class ContextTask:
    """One run: a label, and the seed of both the game and the run."""

    label: str
    seed: int

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return contest(self.label, self.seed).rounds

    def play(self) -> pl.DataFrame:
        """Play the run: per round the rewards earned and of other policies, three regrets so far and the bound."""
        played = contest(self.label, self.seed)
        game, opponent, t = played.game, played.opponent, np.arange(1, played.rounds + 1)
        run = play_run(game, opponent, played.learner, played.rounds, self.seed, allowed=played.allowed)
        table = reward_table(true_rewards(game, opponent.respond), run.opponent_types)
        contexts = run.opponent_types[:, list(game.context)]
        width = 1.0 if game.reward_range is None else float(np.ptp(game.reward_range))
        premises = Premises(0.05, 0.0, 1.0, reward_width=width)
        count = len(np.unique(contexts, axis=0))
        return pl.DataFrame(
            {
                "label": self.label,
                "seed": self.seed,
                "t": t,
                "reward": run.rewards,
                "of_type": table.max(axis=1),
                "single": table[:, table.mean(axis=0).argmax()],
                "policy": best_policy(game, opponent, table, contexts),
                "cumulative_regret": regret_of_table(run, table).cumulative,
                "policy_regret": policy_regret(run, table, contexts),
                "ranking_regret": ranking_regret(run, table),
                "bound": theorem_1(premises, t, 0.0, 0.0, n_actions=game.n_actions, n_contexts=count).total,
            }
        )


def best_policy(game: Game, opponent: Opponent, table: Matrix, contexts: Matrix) -> Vector:
    """Return what the best policy from contexts to actions earns in each round, given the rewards of all (T, n).

    For hints it is the best one by their probabilities, for other types the best in hindsight.
    """
    earned, source = np.empty(len(table)), opponent.types
    for context in np.unique(contexts, axis=0):
        rounds = (contexts == context).all(axis=1)
        mean = table[rounds].mean(axis=0)
        if isinstance(source, RandomTypes) and source.probabilities is not None:
            rows = (source.types[:, list(game.context)] == context).all(axis=1)
            mean = source.probabilities[rows] @ reward_table(true_rewards(game, opponent.respond), source.types[rows])
        earned[rounds] = table[rounds, mean.argmax()]
    return earned


def context_tasks(labels: Sequence[str], count: int, first: int = REPORT.start) -> list[Task]:
    """Return the runs of these labels with so many seeds."""
    return [ContextTask(label, first + i) for label in labels for i in range(count)]


def last_rounds(table: pl.DataFrame) -> pl.DataFrame:
    """One row per label: rewards of the last 100 rounds relative to the best single price, segment's and policy."""
    last = table.filter(pl.col("t") > pl.col("t").max() - LAST)
    total = pl.col("reward").sum()
    others = {name: total / pl.col(name).sum() for name in ("single", "of_type", "policy")}
    return means(last.group_by("label", "seed", maintain_order=True).agg(**others), ["label"], list(others))


def relative(table: pl.DataFrame, measure: str, label: str, baseline: str) -> tuple[float, float]:
    """Return the mean ratio over games of a measure at the end, and the half-width of its 95 % interval."""
    end = table.filter(pl.col("t") == pl.col("t").max())
    pair = [end.filter(label=name).sort("seed")[measure].to_numpy() for name in (label, baseline)]
    mean, half_width = mean_interval(pair[0] / pair[1])
    return float(mean), float(half_width)


def ahead(table: pl.DataFrame, label: str, baseline: str) -> tuple[float, float]:
    """Return the mean ratio over games of all rewards of two labels, and the half-width of its 95 % interval."""
    sums = table.with_columns(total=pl.col("reward").cum_sum().over("label", "seed"))
    return relative(sums, "total", label, baseline)


def share_of_bound(table: pl.DataFrame, label: str) -> float:
    """Return the largest ratio of policy regret and bound, over all runs and rounds from 20 on."""
    rows = table.filter(pl.col("label") == label, pl.col("t") >= FIRST)
    return float((rows["policy_regret"] / rows["bound"]).max())  # type: ignore[arg-type]
