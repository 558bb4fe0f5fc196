"""The game loop: a generator of rounds, with separate random streams for actions, types and noise."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from firstmover.core.arrays import MOST_ROUNDS, Mask, Matrix, Vector, as_array, as_count, as_mask, distribution
from firstmover.core.contracts import ContextSource, Game, GrowsMenu, Learner, TypeSource, decided
from firstmover.core.errors import InvalidInput
from firstmover.core.numerics import one_thread, sample_action
from firstmover.core.records import Feedback, Round, Run
from firstmover.games.opponent import Opponent, responses_of
from firstmover.learners.decision_rules import DecisionRules, PastRounds

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Streams:
    """Separate random streams for the actions, types, noise and masks of a run, and for data collected before it."""

    actions: np.random.Generator
    types: np.random.Generator
    noise: np.random.Generator
    history: np.random.Generator
    masks: np.random.Generator

    @classmethod
    def of(cls, seed: int) -> "Streams":
        """Return the streams of a seed."""
        seed = as_count("seed", seed, least=0)
        return cls(*(np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(5)))


Masks = Callable[[Sequence[Round], np.random.Generator], Mask]
"""The past and a random stream to the mask of actions that are allowed in the coming round."""


def play(
    game: Game,
    opponent: Opponent,
    learner: Learner,
    seed: int,
    *,
    allowed: Masks | None = None,
    rules: DecisionRules | None = None,
) -> Iterator[Round]:
    """Yield rounds without end.

    Actions, types and noise come from separate streams of the seed: two learners meet the same noise and, unless the
    adversary adapts to them, the same types. Equal seeds replay exactly.

    If the game has a context, that of θ_t is drawn before p_t and shown to a learner that takes one. Of a learner that
    takes no mask, p_t given that an `allowed` action is drawn is played. With `rules`, p_t keeps them, and rewards
    contain the costs of changes.

    Parameters
    ----------
    game
        X, r and the response domain.
    opponent
        The source of types, b and the noise.
    learner
        Of round 1.
    seed
        0 or more.
    allowed
        The past and a random stream to the mask (n,) of the allowed actions of the coming round; None: all.
    rules
        Rules that p_t keeps beside the learner's own.

    Yields
    ------
    Round
        The rounds 1, 2, 3, … without end.

    Raises
    ------
    InvalidInput
        If the learner, the opponent or the reward returns a value that does not fit the game.

    Examples
    --------
    >>> from itertools import islice
    >>> from firstmover import GAMES, auto, opponent_for, play
    >>> game = GAMES["shore"].build()
    >>> rounds = play(game, opponent_for("shore", game, "cyclic"), auto(game), seed=0)
    >>> [one.action for one in islice(rounds, 5)]
    [19, 19, 19, 19, 1]
    """
    streams = Streams.of(seed)
    if rules is not None:
        rules.check(learner, game)
    past: list[Round] = []
    grows, menu = isinstance(learner, GrowsMenu), None
    while True:
        if grows:
            game = learner.grown  # type: ignore[attr-defined]
            menu = game.actions
        mask = None if allowed is None else as_mask("allowed", allowed(past, streams.masks), game.n_actions)
        coming = coming_type(game, opponent.types, past, streams.types)
        if rules is None:
            chosen = decided(learner, coming.context, mask)
        else:
            chosen = rules.strategy(learner, game, _past_rounds(game, past), coming.context, mask)
        strategy = distribution("strategy", chosen, game.n_actions)
        opponent_type = as_array("opponent_type", coming.given(strategy), ndim=1)
        action = sample_action(strategy, streams.actions.random())
        answer = answered(game, opponent, len(past) + 1, action, opponent_type, noise=streams.noise)
        reward = answer.reward
        if rules is not None and past and past[-1].action != action:
            reward -= rules.change_cost
        this = Round(
            len(past) + 1, strategy, action, opponent_type, answer.true_response, answer.response, reward, menu, mask
        )
        past.append(this)
        yield this
        old, learner = learner, learner.observe(Feedback.unchecked(action, opponent_type, this.response, mask))
        if learner is None:  # a common mistake in a first learner
            raise InvalidInput(f"observe of {type(old).__name__} returned None: return the learner of the next round.")


def _past_rounds(game: Game, past: Sequence[Round]) -> PastRounds:
    """The past as rules see it."""
    types = np.array([each.opponent_type for each in past]) if past else np.empty((0, 1))
    contexts = types[:, list(game.context)] if past else np.empty((0, len(game.context)))
    return PastRounds([each.action for each in past], contexts, types)


class Coming(NamedTuple):
    """The type of the coming round: its context if the game has one, and the whole type as a function of p_t."""

    context: Vector | None
    given: Callable[[Vector], Vector]


def coming_type(game: Game, source: TypeSource, past: Sequence[Round], rng: np.random.Generator) -> Coming:
    """Draw what is known of θ_t before p_t; raise if the source chooses the context by p_t."""
    if not game.context:
        return Coming(None, lambda strategy: source.draw(strategy, past, rng))
    if isinstance(source, ContextSource):
        context = source.draw_context(past, rng)
        return Coming(context, lambda strategy: source.draw_given(context, strategy, past, rng))
    if not getattr(source, "oblivious", False):
        raise InvalidInput(
            f"types come from {type(source).__name__}, which chooses them after p_t: their context cannot be known "
            "before. Use a source with draw_context, such as AdversaryInContext, or declare it oblivious = True."
        )
    opponent_type = source.draw(np.empty(0), past, rng)
    return Coming(opponent_type[list(game.context)], lambda _: opponent_type)


class Answer(NamedTuple):
    """The answer to an action: b(x_t, θ_t), the noisy response, and the reward of the noiseless one."""

    true_response: Vector
    response: Vector
    reward: float


def answered(
    game: Game, opponent: Opponent, t: int, action: int, opponent_type: Vector, *, noise: np.random.Generator
) -> Answer:
    """Return the answer of an opponent of this type to the action of round t, counted from 1."""
    asked = opponent.asked(opponent_type[None], first=t)[0] if opponent.drifts else opponent_type
    true_responses = responses_of(game, opponent.respond, asked, [action])
    response = opponent.seen(true_responses[0], noise)
    response.flags.writeable = False
    return Answer(true_responses[0], response, float(checked_rewards(game, [action], true_responses)[0]))


def play_run(
    game: Game,
    opponent: Opponent,
    learner: Learner,
    rounds: int,
    seed: int,
    *,
    allowed: Masks | None = None,
    rules: DecisionRules | None = None,
) -> Run:
    """Play a number of rounds and return them as columns; one BLAS thread is used.

    Parameters
    ----------
    game
        X, r and the response domain.
    opponent
        The source of types, b and the noise.
    learner
        Of round 1.
    rounds
        T, the number of rounds.
    seed
        0 or more; equal seeds give equal runs.
    allowed, rules
        As in `play`.

    Returns
    -------
    Run
        The run.

    Raises
    ------
    InvalidInput
        If `rounds` or `seed` is outside its range; further as `play`.

    Examples
    --------
    >>> from firstmover import GAMES, auto, opponent_for, play_run
    >>> game = GAMES["shore"].build()
    >>> play_run(game, opponent_for("shore", game, "cyclic"), auto(game), rounds=30, seed=0)
    Run(30 rounds, 24 actions, mean reward 0.7055)
    """
    rounds = as_count("rounds", rounds, most=MOST_ROUNDS)
    with one_thread():
        run = Run.of(list(islice(play(game, opponent, learner, seed, allowed=allowed, rules=rules), rounds)))
    _LOG.debug("played seed %d of %r with %s: %r", seed, game, type(learner).__name__, run)
    return run


def play_many(
    game: Game, opponents: Opponent | Sequence[Opponent], learner: Learner, rounds: int, seeds: Sequence[int]
) -> list[Run]:
    """Play a number of rounds for each seed.

    Parameters
    ----------
    game
        X, r and the response domain.
    opponents
        One for all seeds, or one for each.
    learner
        Of round 1, the same for all seeds.
    rounds
        T, the number of rounds.
    seeds
        Whole numbers, 0 or more.

    Returns
    -------
    list[Run]
        One run per seed, in the same order.

    Raises
    ------
    InvalidInput
        If `seeds` is no list, or `opponents` has another length; further as `play_run`.

    Examples
    --------
    >>> from firstmover import GAMES, opponent_for, play_many
    >>> from firstmover.learners import uniform
    >>> game = GAMES["shore"].build()
    >>> runs = play_many(game, opponent_for("shore", game, "random"), uniform(game.n_actions), 20, seeds=[0, 1])
    >>> [round(float(run.rewards.mean()), 3) for run in runs]
    [0.528, 0.64]
    """
    if not isinstance(seeds, Sequence):
        raise InvalidInput(f"seeds is {seeds!r}: give a list of whole numbers, such as [0, 1, 2].")
    each = [opponents] * len(seeds) if isinstance(opponents, Opponent) else opponents
    if len(each) != len(seeds):
        raise InvalidInput(f"opponents has {len(each)} entries for {len(seeds)} seeds: give one, or one for each.")
    return [play_run(game, opponent, learner, rounds, seed) for opponent, seed in zip(each, seeds, strict=True)]


def checked_rewards(game: Game, actions: Sequence[int], responses: Matrix) -> Vector:
    """Return r of noiseless responses (k, m) to actions (k,); raise if one leaves the game's reward range."""
    rewards = as_array("reward", game.reward(game.actions[actions], responses), ndim=1, length=len(actions))
    if game.reward_range is not None:
        low, high = game.reward_range
        slack = 1e-9 * (high - low)
        for action, reward in zip(actions, rewards.tolist(), strict=True):
            if not low - slack <= reward <= high + slack:
                raise InvalidInput(
                    f"reward {reward:.6g} of action {action} is outside the game's reward_range ({low:.6g}, "
                    f"{high:.6g}): state the range that rewards can take."
                )
    return rewards
