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
from firstmover.simulation import Adversary, AdversaryInContext, RandomTypes
from firstmover.simulation.hindsight import policy_regret, ranking_regret, regret_of_table, reward_table
from firstmover.simulation.loop import Masks, play_run
from studies.families import REPORT, WEEKDAYS, kiosk, random_prices
from studies.summary import means

RIGHT, HINT_ROUNDS, LAST = 0.8, 300, 100
"""How often a hint is right, the rounds with hints, and those that count."""

PARTNER = (3, 2, 1, 0)
"""The segment that a wrong hint names in "hint, partner": residents for travellers, taxis for commuters, and back."""

KIOSK_ROUNDS, ROUNDS, LABELS, CLOSED = 60, 200, 3, 0.2
"""Rounds at a kiosk, rounds of the other games, meaningless contexts, and the share of actions that are closed."""


class Contest(NamedTuple):
    """A game with its opponent, the learner, and which actions are allowed; `contexts` are those of the policies."""

    game: Game
    opponent: Opponent
    learner: Learner
    contexts: tuple[int, ...]
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
    return Contest(game, opponent, auto(game), game.context, HINT_ROUNDS)


def kiosk_contest(label: str, seed: int) -> Contest:
    """Return a kiosk at which the weekday is known before, in one game or in a separate one for each weekday."""
    instance, context = kiosk(seed), tuple(range(1, 1 + WEEKDAYS))
    game = replace(instance.game, context=context)
    learner = Separate(game, {}) if label == "seven learners" else auto(game)
    return Contest(game, instance.opponent, learner, context, KIOSK_ROUNDS)


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
    return Contest(game, opponent, auto(game), context, ROUNDS)


def closed_contest(label: str, seed: int) -> Contest:
    """Return a price game of which a fifth of the actions is closed at random in each round, or none."""
    instance = random_prices(seed, "random")
    n = instance.game.n_actions

    def some(_: Sequence[Round], rng: np.random.Generator) -> Mask:
        return rng.permutation(n) >= round(CLOSED * n)

    masks = some if label == "a fifth closed" else None
    return Contest(instance.game, instance.opponent, auto(instance.game), (), ROUNDS, masks)


HINTS = ("segment known", "hint", "hint, partner", "no hint")
KIOSKS = ("weekday", "seven learners")
NOTHING = ("label, random", "none, random", "label, adversary", "none, adversary", "groups, adversary")
CLOSURES = ("a fifth closed", "open")


def contest(label: str, game: int) -> Contest:
    """Return the contest of a label on a game by its seed; there is one game with hints."""
    if label in HINTS:
        return price_contest(label)
    if label in KIOSKS:
        return kiosk_contest(label, game)
    return closed_contest(label, game) if label in CLOSURES else labelled_contest(label, game)


@dataclass(frozen=True)
class ContextTask:
    """One run: a label, the seed of the game and that of the run."""

    label: str
    game: int
    seed: int

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return contest(self.label, self.game).rounds

    def play(self) -> pl.DataFrame:
        """Play the run: per round the reward, that of the best action for its type, and three regrets so far."""
        played = contest(self.label, self.game)
        game, opponent = played.game, played.opponent
        run = play_run(game, opponent, played.learner, played.rounds, self.seed, allowed=played.allowed)
        table = reward_table(true_rewards(game, opponent.respond), run.opponent_types)
        contexts = run.opponent_types[:, list(played.contexts)]
        return pl.DataFrame(
            {
                "label": self.label,
                "game": self.game,
                "seed": self.seed,
                "t": np.arange(1, played.rounds + 1),
                "reward": run.rewards,
                "of_type": table.max(axis=1),
                "single": table[:, table[-LAST:].mean(axis=0).argmax()],
                "cumulative_regret": regret_of_table(run, table).cumulative,
                "policy_regret": policy_regret(run, table, contexts),
                "ranking_regret": ranking_regret(run, table),
                "contexts": len(np.unique(contexts, axis=0)),
                "actions": game.n_actions,
                "width": float(np.ptp(game.reward_range)) if game.reward_range else np.nan,
            }
        )
