"""From a specification to the game, the opponent and the learner that will play."""

from collections.abc import Iterator
from dataclasses import replace

from firstmover.beliefs import ConstantWidth
from firstmover.contracts import Game, Learner
from firstmover.errors import InvalidInput
from firstmover.experiments.spec import NOISE, ExperimentSpec, LearnerSpec
from firstmover.games import game_named
from firstmover.kernels import kernel_from
from firstmover.learners import LEARNERS, Setup, uniform
from firstmover.opponents import OPPONENTS, Opponent, opponent_for, responses_of, true_rewards
from firstmover.play import Streams, play_run
from firstmover.records import Feedback, Matrix

HISTORY_POINTS = 1000
"""How many rounds best-offline learns from beforehand, as in the paper's Section 5.2."""


def scene(spec: ExperimentSpec) -> tuple[Game, Opponent]:
    """What is played and who answers; against one type in every round, learners know that it is the only one."""
    parameters = dict(spec.game_parameters or {})
    noise_std = parameters.pop(NOISE, None)
    game = game_named(spec.game, spec.tables).build(**parameters)
    opponent = opponent_for(spec.game, game, spec.opponent, spec.tables)
    if noise_std is not None:
        opponent = replace(opponent, noise_std=noise_std)
    if spec.opponent.partition(":")[0] in ("single", "drifting") and game.types is not None:
        game = replace(game, types=game.types[:1])
    return game, opponent


def learner_for(spec: ExperimentSpec, learner: LearnerSpec, game: Game, opponent: Opponent, seed: int) -> Learner:
    """The learner before the first round, with the privileges that its entry of the table asks for."""
    if opponent.drifts and learner.kind == "hedge":
        raise InvalidInput(
            f"opponent {spec.opponent!r} changes from round to round, so its type does not tell what actions earn: "
            "leave 'hedge' out."
        )
    entry = game_named(spec.game, spec.tables)
    width = entry.confidence_width if learner.confidence_width is None else learner.confidence_width
    setup = Setup(
        game=game,
        kernel=entry.kernel if learner.kernel is None else kernel_from(learner.kernel),
        regularization=entry.regularization if learner.regularization is None else learner.regularization,
        confidence=ConstantWidth(width),
        strategy=learner.strategy,
        horizon=spec.rounds,
        rate_factor=1.0 if learner.rate_factor is None else learner.rate_factor,
        action=learner.action,
        history=history(game, opponent, seed),
        true_rewards=true_rewards(game, opponent.respond),
        future_types=future_types(spec, game, opponent, seed) if learner.kind == "optimum" else None,
    )
    return LEARNERS[learner.kind].build(setup)


def checked_learners(spec: ExperimentSpec) -> Iterator[tuple[LearnerSpec, Learner]]:
    """Every learner, built once, so that one that cannot play here is refused before anything is played."""
    game, opponent = scene(spec)
    for learner in spec.learners:
        try:
            yield learner, learner_for(spec, learner, game, opponent, spec.seeds[0])
        except InvalidInput as error:
            raise InvalidInput(f"learner {learner.label!r}: {error}") from None


def future_types(spec: ExperimentSpec, game: Game, opponent: Opponent, seed: int) -> Matrix:
    """What b is asked about, θ_1 … θ_T (T, p), as every learner will meet it: by a rehearsal with the same seed."""
    if spec.opponent in OPPONENTS and OPPONENTS[spec.opponent].adaptive:
        raise InvalidInput(
            f"opponent {spec.opponent!r} chooses types by what the learner does, so no action is best beforehand: "
            "leave 'optimum' out, or use opponent 'random'."
        )
    return opponent.asked(play_run(game, opponent, uniform(game.n_actions), spec.rounds, seed).opponent_types)


def history(game: Game, opponent: Opponent, seed: int) -> Iterator[Feedback]:
    """Responses of the first known type to actions drawn equally often, with noise, from a stream of their own."""
    assert game.types is not None  # read by best-offline only, which faces one known type
    rng = Streams.of(seed).history
    actions = rng.integers(game.n_actions, size=HISTORY_POINTS)
    responses = responses_of(game, opponent.respond, opponent.asked(game.types[:1])[0])
    for action in actions:
        yield Feedback(int(action), game.types[0], opponent.seen(responses[action], rng))
