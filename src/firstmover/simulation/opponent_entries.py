"""The opponents of the OPPONENTS table: in which sequence types arrive, and which parameters that takes."""

import reprlib
from dataclasses import replace
from pathlib import Path

from pydantic import Field

from firstmover.core.arrays import Matrix
from firstmover.core.contracts import Game, TypeSource
from firstmover.core.documents import Specification
from firstmover.core.errors import InvalidInput
from firstmover.games.opponent import Behaviour, Blended, Drift, Opponent, responses_of, true_rewards
from firstmover.simulation.arrivals import Adversary, Committed, Cyclic, RandomTypes, Sampled, Scripted, single
from firstmover.simulation.opponents import OpponentEntry


class LogitParameters(Specification):
    """The rationality of opponents that choose by logit."""

    rationality: float = Field(default=1.0, gt=0, allow_inf_nan=False)


class DriftingParameters(Specification):
    """The number of rounds in which the responses turn into others."""

    rounds: float = Field(default=200.0, gt=0, allow_inf_nan=False)


class ScriptParameters(Specification):
    """A CSV file with a header and one type per row."""

    file: str = Field(min_length=1)


def _opponent(types: TypeSource, behaviour: Behaviour) -> Opponent:
    return Opponent(types, behaviour.respond, behaviour.noise_std, behaviour.sampled)


def _random(game: Game, behaviour: Behaviour, _: Specification) -> Opponent:
    types = RandomTypes(_known(game)) if behaviour.sampler is None else Sampled(behaviour.sampler)
    return _opponent(types, behaviour)


def _known(game: Game) -> Matrix:
    if game.types is None:
        raise InvalidInput(f"game {game.name!r} has no finite set of types: use opponent 'random'.")
    return game.types


def _committed(game: Game, behaviour: Behaviour, _: Specification) -> Opponent:
    if not behaviour.sees_commitment:
        raise InvalidInput(f"opponents of game {game.name!r} do not see commitments: use opponent 'random'.")
    return _opponent(Committed(), behaviour)


def _logit(game: Game, behaviour: Behaviour, parameters: LogitParameters) -> Opponent:
    if behaviour.logit is None:
        raise InvalidInput(f"opponents of game {game.name!r} have no logit choice: use opponent 'random'.")
    return _random(game, behaviour.logit(game, parameters.rationality), parameters)


def _drifting(game: Game, behaviour: Behaviour, parameters: DriftingParameters) -> Opponent:
    drift, types = behaviour.drift, game.types
    if drift is None:
        if types is None or behaviour.sees_commitment or len(types) < 2:
            raise InvalidInput(
                f"opponents of game {game.name!r} have no other type to turn into: use opponent 'random'."
            )
        drift = Drift(types[0], lambda rounds: Blended(behaviour.respond, types[0], types[-1], rounds))
    drifting = replace(behaviour, respond=drift.over(parameters.rounds))
    return replace(_opponent(single(drift.opponent_type), drifting), drifts=True)


def _script(game: Game, behaviour: Behaviour, parameters: ScriptParameters) -> Opponent:
    """Types of a CSV file: each must be a known type of the game or, if it has none, one that b accepts."""
    path = parameters.file
    script, known = Scripted.from_file(Path(path)), game.types
    if known is not None and script.types.shape[1] != known.shape[1]:
        raise InvalidInput(
            f"types file {path!r} has {script.types.shape[1]} column(s): types of game {game.name!r} have "
            f"{known.shape[1]}."
        )
    for row, opponent_type in enumerate(script.types, start=1):
        if known is None:
            try:
                responses_of(game, behaviour.respond, opponent_type, [0])
            except InvalidInput as error:
                raise InvalidInput(f"types file {path!r}, row {row}: {error}") from None
        elif not (known == opponent_type).all(axis=1).any():
            raise InvalidInput(
                f"types file {path!r} has in row {row} the type {reprlib.repr(opponent_type.tolist())}, which game "
                f"{game.name!r} does not have: give one of {reprlib.repr(known.tolist())}."
            )
    return Opponent(script, behaviour.respond, behaviour.noise_std)


ENTRIES = {
    "random": OpponentEntry("types drawn independently, with equal probabilities", _random),
    "cyclic": OpponentEntry("types in a repeating order", lambda game, b, _: _opponent(Cyclic(_known(game)), b)),
    "single": OpponentEntry(
        "the first type in every round",
        lambda game, b, _: _opponent(single(_known(game)[0]), b),
        single_type=True,
    ),
    "adversary": OpponentEntry(
        "sees p_t and picks the type with the smallest expected reward",
        lambda game, b, _: _opponent(Adversary(_known(game), true_rewards(game, b.respond)), b),
        adaptive=True,
    ),
    "commitment": OpponentEntry("sees the mixture p_t that the learner commits to", _committed, adaptive=True),
    "logit": OpponentEntry(
        "types drawn as by random, which choose by logit, on roads and in payoff tables; or logit:RATIONALITY",
        _logit,
        LogitParameters,
        shorthand="rationality",
    ),
    "drifting": OpponentEntry(
        "one type, whose responses turn into others in 200 rounds; or drifting:ROUNDS",
        _drifting,
        DriftingParameters,
        single_type=True,
        shorthand="rounds",
    ),
    "script": OpponentEntry(
        "types from a CSV file with a header, one type per row, written script:FILE",
        _script,
        ScriptParameters,
        shorthand="file",
    ),
}
