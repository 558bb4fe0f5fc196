"""Calls of the public API with wrong values in the places of right ones, and the checks of their results."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import RBF

import firstmover as fm
from firstmover import beliefs, learners
from firstmover.games import Bilinear, Lattice, Monotone, shore_game
from firstmover.kernels import domain_kernels, expressions
from firstmover.kernels import table as kernel_table
from firstmover.learners.exp3 import Exp3
from tests.matches.played import ROUTES
from tests.wrong_values import NO_NUMBERS, WITHIN_ARRAYS

GAME = replace(shore_game(), actions=shore_game().actions[:4], types=shore_game().types[:2])
X, TYPES, KIND = GAME.actions, GAME.types, GAME.types[0]
REWARD = fm.increasing(lambda _, y: y[:, 0])
BOXES = {"actions": X, "box": fm.Box(np.zeros((4, 1)), np.ones((4, 1)))}
CONFIG = {**ROUTES, "menu": {"rows": [{"label": each, "north": i} for i, each in enumerate("abc")]}}
CONFIG |= {"reward": {"value": 1.0, "responses": {"congestion": -1.0}}}


def half(actions: Any, _: Any) -> Any:
    """A response function."""
    return np.full((len(actions), 1), 0.5)


def first(_: Any, responses: Any) -> Any:
    """A reward function."""
    return responses[:, 0]


def sound(value: object) -> None:
    """Raise AssertionError for a strategy, mean or standard deviation that is no number."""
    strategy = getattr(value, "strategy", None)
    for found in (strategy, *(value if isinstance(value, tuple) else (value,))):
        if isinstance(found, np.ndarray) and found.dtype.kind == "f":
            assert np.isfinite(found).all(), found
    if isinstance(strategy, np.ndarray):
        assert abs(np.sum(strategy) - 1) < 1e-9, strategy
        assert np.all(np.asarray(strategy) >= 0), strategy


def observed(start: Callable[..., Any]) -> Callable[..., Any]:
    """A learner after one round of feedback, in which any field may be wrong."""

    def call(action: Any, opponent_type: Any, response: Any, **fields: Any) -> Any:
        return start(**fields).observe(fm.Feedback(action, opponent_type, response))

    return call


def conditioned(prior: Callable[..., Any]) -> Callable[..., Any]:
    """The prediction of a belief after one response."""

    def call(action: Any, opponent_type: Any, response: Any, at: Any, **fields: Any) -> Any:
        return tuple(prior(**fields).condition(action, opponent_type, response).predict(at))

    return call


FEEDBACK = {"action": 1, "opponent_type": KIND, "response": [0.5]}
TOLD = FEEDBACK | {"at": KIND, "kernel": RBF(0.3), "regularization": 0.1, "actions": X, "n_outputs": 1}
PLAYED = {"game": GAME, "kernel": RBF(0.3), "regularization": 0.1, "confidence_width": 1.0, "horizon": 9}

CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "Game": (
        fm.Game,
        {"name": "g", "actions": X, "reward": REWARD, "response_domain": fm.Box([0], [1]), "reward_range": (0, 1)}
        | {"types": TYPES, "context": ()},
    ),
    "Feedback": (fm.Feedback, FEEDBACK | {"allowed": [True, True, False, True], "advised": 2}),
    "Box": (fm.Box, {"lower": [0.0], "upper": [1.0]}),
    "polynomial": (fm.polynomial, {"degree": 3, "bias": 1.0, "scale": 2.0}),
    "linear": (kernel_table.linear, {"bias": 1.0}),
    "rbf": (expressions.rbf, {"length_scale": 1.0, "variance": 1.0}),
    "matern": (expressions.matern, {"length_scale": 1.0, "variance": 1.0, "nu": 2.5}),
    "additive": (domain_kernels.additive, {"degree": 4, "scale": 1.0}),
    "ConstantWidth": (fm.ConstantWidth, {"value": 1.0}),
    "LemmaWidth": (
        fm.LemmaWidth,
        {"rkhs_norm_bound": 1.0, "noise_std": 0.1, "regularization": 1.0, "failure_probability": 0.1, "n_outputs": 1},
    ),
    "FiniteBelief": (conditioned(beliefs.FiniteBelief.prior), TOLD | {"types": TYPES}),
    "FreshBelief": (conditioned(beliefs.FreshBelief.prior), TOLD),
    "MultiplicativeWeights": (
        lambda rewards, **start: fm.MultiplicativeWeights.start(**start).update(rewards),
        {"rewards": [0.0, 0.5, 1.0], "n_actions": 3, "reward_range": (0, 1), "horizon": 9},
    ),
    "AdaHedge": (
        lambda rewards, n_actions: fm.AdaHedge.start(n_actions).update(rewards),
        {"rewards": [0.0, 0.5, 1.0], "n_actions": 3},
    ),
    "StackelUCB": (observed(fm.StackelUCB.start), FEEDBACK | PLAYED),
    "Exp3": (observed(Exp3.start), FEEDBACK | {"game": GAME, "horizon": 9}),
    "auto": (observed(fm.auto), FEEDBACK | {"game": GAME}),
    "fixed": (learners.fixed_action, {"action": 1, "n_actions": 4}),
    "Fixed": (learners.Fixed, {"strategy": np.array([0.5, 0.5])}),
    "simplex_grid": (fm.simplex_grid, {"n_leader_actions": 3, "radius": 0.7}),
    "radius_for_horizon": (
        fm.radius_for_horizon,
        {"n_leader_actions": 3, "horizon": 9, "reward_lipschitz": 1.0, "response_lipschitz": 1.0},
    ),
    "Bilinear": (Bilinear, {"payoffs": [[1.0, 2.0]]}),
    "Monotone": (lambda directions: Monotone(first, directions).best_in_box(**BOXES), {"directions": (1,)}),
    "Lattice": (lambda **some: Lattice(first, **some).best_in_box(**BOXES), {"reward_lipschitz": 1.0, "points": 3}),
    "BimatrixGame": (fm.BimatrixGame, {"leader": [[1.0, 2.0]], "followers": [[[1.0, 0.0]]]}),
    "BestResponse": (lambda candidates: fm.BestResponse(abs, candidates), {"candidates": [[1.0]]}),
    "Cyclic": (fm.Cyclic, {"types": TYPES}),
    "single": (fm.single, {"opponent_type": KIND}),
    "RandomTypes": (fm.RandomTypes, {"types": TYPES}),
    "Opponent": (lambda noise_std: fm.Opponent(fm.single(KIND), half, noise_std), {"noise_std": 0.1}),
    "play_run": (
        lambda rounds, seed: fm.play_run(GAME, fm.Opponent(fm.single(KIND), half), learners.uniform(4), rounds, seed),
        {"rounds": 2, "seed": 0},
    ),
    "compare": (
        lambda rounds, seeds: fm.compare("shore", "cyclic", ["uniform"], rounds, seeds),
        {"rounds": 2, "seeds": 1},
    ),
    "Floor": (fm.Floor, {"baseline": 0, "at_least": 0.9, "tolerance": 0.05, "confidence": 0.95}),
    "DecisionRules": (fm.DecisionRules, {"hold": 2, "change_cost": 0.1}),
}
"""By name, a call and right values for its arguments."""


def wrong_value(random: Random) -> Any:
    """A value that is wrong in most places: no number, extreme, of another shape, or of another kind."""
    rng = np.random.default_rng(random.getrandbits(32))
    shape = tuple(random.choice((0, 1, 1, 2, 3, 4)) for _ in range(random.randint(0, 3)))
    numbers = rng.normal(size=shape) * random.choice((1.0, 1e-320, 1e150, 1e200))
    dtype = random.choice(("f2", "f4", "f8", "g", "i1", "i8", "u8", "?", "c16", "O", "U4", "S4", "M8[s]", "m8[s]"))
    with np.errstate(all="ignore"):
        array = np.abs(numbers).clip(max=100).astype(dtype) if dtype[0] in "iuMm" else numbers.astype(dtype)
    extreme = random.choice((0, -1, 1, 2**63, -(2**64), 10**400, 1e308, -1e308, 5e-324, 1e-310, -0.0, float("nan")))
    text = random.choice(("", "3", "nan", "low", "a\ue000", "\ud800", "9" * 5000, "x" * 300))
    return random.choice(
        (
            lambda: random.choice(list(NO_NUMBERS.values())),
            lambda: random.choice(list(WITHIN_ARRAYS.values())),
            lambda: [random.choice(list(NO_NUMBERS.values())), 1.0],
            lambda: [[random.choice(list(NO_NUMBERS.values()))]],
            lambda: array,
            lambda: numbers,
            numbers.tolist,
            lambda: np.where(rng.random(shape) < 0.5, random.choice((np.nan, np.inf, -np.inf)), numbers),
            lambda: np.ma.array(numbers, mask=rng.random(shape) < 0.3),
            lambda: extreme,
            lambda: [extreme],
            lambda: (extreme, extreme),
            lambda: text,
            lambda: [text, text],
            lambda: {text: extreme},
            lambda: {},
            lambda: (),
            lambda: Fraction(random.choice((-1, 0, 1, 10**400)), random.choice((1, 3, 10**330))),
            lambda: iter(numbers.ravel()),
            lambda: random.choice((object(), Random, lambda *_: extreme, GAME, RBF(), KIND, X, TYPES)),
        )
    )()


@dataclass(frozen=True)
class Case:
    """One call with one or two wrong values."""

    name: str
    call: Callable[..., Any]
    arguments: dict[str, Any]

    def failure(self) -> str:
        """Return what is wrong with the result or the exception of the call; nothing if all is right."""
        try:
            with np.errstate(all="ignore"):
                sound(self.call(**self.arguments))
        except fm.FirstmoverError:
            return ""
        except Exception as error:
            return f"{type(error).__name__}: {str(error)[:200]}"
        return ""


def spoilt(right: dict[str, Any], random: Random) -> dict[str, Any]:
    """The arguments with one or two of them wrong."""
    fields = random.sample(list(right), min(len(right), random.choice((1, 1, 2))))
    return right | {field: wrong_value(random) for field in fields}


def cases(seed: int, count: int) -> Iterator[Case]:
    """So many calls of the library."""
    random = Random(seed)
    for _ in range(count):
        name = random.choice(list(CALLS))
        call, right = CALLS[name]
        yield Case(name, call, spoilt(right, random))


def single_value(value: Any, name: str) -> Any:
    """The one value within lists, arrays and mappings by name; what holds several, or a masked one, stays as it is."""
    while isinstance(value, np.ndarray | list | tuple | dict) and not np.ma.is_masked(value):
        if isinstance(value, dict):
            value = value.get(name)
        elif np.ndim(value) and len(value) == 1:
            value = next(iter(value))
        elif isinstance(value, np.ndarray) and not value.ndim:
            value = value[()]
        else:
            break
    return value


def given_number(value: Any) -> float | None:
    """The number that a person means by a response, by a rule of its own; None if there is none."""
    value = single_value(value, "congestion")
    plain = isinstance(value, int | float | str | Fraction | np.integer | np.floating)
    return float(value) if plain and not isinstance(value, bool | np.timedelta64) else None


def given_text(value: Any) -> str | None:
    """The level that a person means by a type; None if there is none."""
    value = single_value(value, "demand")
    return str(value) if isinstance(value, str) else None


def match_cases(folder: Path, seed: int, count: int) -> Iterator[Case]:
    """So many calls of a match, each of which records what was given or nothing."""
    random = Random(seed)
    match = fm.Match.create(folder / "matches.db", "fuzz", CONFIG)

    def tells(call: Callable[..., Any]) -> Callable[..., Any]:
        def checked(opponent_type: Any, response: Any, **rest: Any) -> None:
            before = match.sequence
            call(opponent_type, response, **rest)
            if match.sequence > before:
                recorded = match.journal.event(match.sequence).payload
                row = recorded.get("rows", [recorded])[0]
                assert row["response"] == {"congestion": given_number(response)}, (row, response)
                assert row["type"] in (None, {"demand": given_text(opponent_type)}), (row, opponent_type)

        return checked

    def tell(opponent_type: Any, response: Any, round_id: Any) -> None:
        match.tell(round_id, opponent_type, response)

    def imported(opponent_type: Any, response: Any, action: Any) -> None:
        match.import_history([{"action": action, "type": opponent_type, "response": response}])

    def record(opponent_type: Any, response: Any, action: Any, record_id: Any) -> None:
        match.record(action, opponent_type, response, record_id=record_id)

    def correct(opponent_type: Any, response: Any, round_id: Any, reason: Any) -> None:
        match.correct(round_id, opponent_type, response, reason=reason)

    def created(**config: Any) -> None:
        fm.Match.create(folder / "others.db", f"match {random.getrandbits(60)}", config).close()

    right = {"opponent_type": "low", "response": 1.0}
    calls: list[tuple[str, Callable[..., Any], dict[str, Any]]] = [
        ("tell", tells(tell), right | {"round_id": "asked"}),
        ("correct", tells(correct), right | {"round_id": "told", "reason": "misread"}),
        ("record", tells(record), right | {"action": "a", "record_id": "one"}),
        ("import", tells(imported), right | {"action": "a"}),
        ("import rows", match.import_history, {"rows": []}),
        ("ask", match.ask, {"round_id": "asked", "context": None, "allowed": None, "without": None}),
        ("void", match.void, {"round_id": "asked", "reason": "rain"}),
    ]
    match.ask("told")
    match.tell("told", "high", 2.0)
    for number in range(count):
        name, call, arguments = random.choice(calls) if random.random() < 0.95 else ("create", created, CONFIG)
        if name == "tell":
            arguments = arguments | {"round_id": f"round {number}"}
            match.ask(arguments["round_id"])
        yield Case(name, call, spoilt(arguments, random))
    match.close()
