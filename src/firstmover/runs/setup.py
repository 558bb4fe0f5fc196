"""From the document of a run to the game, the opponent and the learner that play it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from firstmover.beliefs import ConstantWidth
from firstmover.core.arrays import Matrix
from firstmover.core.contracts import Game, Learner
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Feedback
from firstmover.games import GAMES, BimatrixGame, GameEntry, game_named
from firstmover.learners import LEARNERS, Setup, uniform
from firstmover.runs.spec import NOISE
from firstmover.simulation import OPPONENTS, Opponent, responses_of, true_rewards
from firstmover.simulation.loop import Streams, play_run

HISTORY_POINTS = 1000
"""Rounds that best-offline learns from beforehand, as in the paper's Section 5.2."""


@dataclass(frozen=True, eq=False)
class Stage:
    """Game, opponent and learner before the first round of a run."""

    game: Game
    opponent: Opponent
    learner: Learner


def game_entry(document: Mapping[str, Any]) -> GameEntry:
    """The entry of the game that a document names; that of its payoff tables, if it has any."""
    payoffs = document.get("payoffs")
    if payoffs is not None:
        return game_named(document["game"], BimatrixGame(payoffs[0], payoffs[1:]))
    return GAMES.find(document["game"].partition(":")[0])


def arena_of(document: Mapping[str, Any]) -> tuple[Game, Opponent]:
    """The game and the opponent; against one type in every round, learners know that it is the only one."""
    entry, parameters = game_entry(document), dict(document.get("game_parameters") or {})
    noise_std = parameters.pop(NOISE, None)
    if document.get("payoffs") is None:
        parameters = dict(GAMES.resolve(document["game"], parameters)[1])
    game = entry.build(**parameters)
    arrivals, values = OPPONENTS.resolve(document["opponent"], document.get("opponent_parameters"))
    opponent = arrivals.build(game, entry.opponents(game), values)
    if noise_std is not None:
        opponent = replace(opponent, noise_std=noise_std)
    if arrivals.single_type and game.types is not None:
        game = replace(game, types=game.types[:1])
    return game, opponent


def learner_of(document: Mapping[str, Any], game: Game, opponent: Opponent, seed: int) -> Learner:
    """The learner before the first round, with the oracle access that its entry of the table asks for."""
    parameters = dict(document["learner"])
    entry, values = LEARNERS.resolve(name := parameters.pop("name"), parameters)
    if opponent.drifts and entry.needs == ("true_rewards",):
        raise InvalidInput(
            f"opponent {document['opponent']!r} changes from round to round, so its type does not determine rewards: "
            f"leave {name!r} out."
        )
    assumed = game_entry(document)
    setup = Setup(
        game=game,
        kernel=assumed.kernel,
        regularization=assumed.regularization,
        confidence=ConstantWidth(assumed.confidence_width),
        horizon=document["rounds"],
        history=history(game, opponent, seed),
        true_rewards=true_rewards(game, opponent.respond),
        future_types=future_types(document, game, opponent, seed) if "future_types" in entry.needs else None,
    )
    return entry.build(setup, values)


def future_types(document: Mapping[str, Any], game: Game, opponent: Opponent, seed: int) -> Matrix:
    """θ_1 … θ_T (T, p) of a seed, which are the same for every learner: found by playing a uniform strategy."""
    name, rounds = document["opponent"], document["rounds"]
    if OPPONENTS[name.partition(":")[0]].adaptive:
        raise InvalidInput(
            f"opponent {name!r} chooses types by what the learner does, so no action is best beforehand: "
            "leave 'optimum' out, or use opponent 'random'."
        )
    return opponent.asked(play_run(game, opponent, uniform(game.n_actions), rounds, seed).opponent_types)


def history(game: Game, opponent: Opponent, seed: int) -> Iterator[Feedback]:
    """Noisy responses of the first known type to actions drawn uniformly, from a separate random stream."""
    assert game.types is not None  # read by best-offline only, which faces one known type
    rng = Streams.of(seed).history
    actions = rng.integers(game.n_actions, size=HISTORY_POINTS)
    responses = responses_of(game, opponent.respond, opponent.asked(game.types[:1])[0])
    for action in actions:
        yield Feedback(int(action), game.types[0], opponent.seen(responses[action], rng))
