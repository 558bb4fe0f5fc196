"""From a specification to the game, the opponent and the learner that will play."""

from collections.abc import Iterator
from dataclasses import replace

from firstmover.beliefs import ConstantWidth
from firstmover.core.contracts import Game, Learner
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Feedback, Matrix
from firstmover.games import game_named
from firstmover.kernels import kernel_from
from firstmover.learners import LEARNERS, Setup, uniform
from firstmover.runs.experiment_spec import NOISE, ExperimentSpec, LearnerSpec
from firstmover.simulation import OPPONENTS, Opponent, opponent_for, responses_of, true_rewards
from firstmover.simulation.loop import Streams, play_run

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
    if OPPONENTS.resolve(spec.opponent)[0].single_type and game.types is not None:
        game = replace(game, types=game.types[:1])
    return game, opponent


def learner_for(spec: ExperimentSpec, learner: LearnerSpec, game: Game, opponent: Opponent, seed: int) -> Learner:
    """The learner before the first round, with the privileges that its entry of the table asks for."""
    needs = LEARNERS[learner.kind].needs
    if opponent.drifts and needs == ("true_rewards",):
        raise InvalidInput(
            f"opponent {spec.opponent!r} changes from round to round, so its type does not tell what actions earn: "
            f"leave {learner.kind!r} out."
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
        history=history(game, opponent, seed),
        true_rewards=true_rewards(game, opponent.respond),
        future_types=future_types(spec, game, opponent, seed) if "future_types" in needs else None,
    )
    return LEARNERS[learner.kind].build(setup, {"action": learner.action} if learner.kind == "fixed" else None)


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
    if OPPONENTS.resolve(spec.opponent)[0].adaptive:
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
