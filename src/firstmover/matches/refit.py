"""Hyperparameters by marginal likelihood, fitted when a configuration asks for it and recorded as an event."""

from typing import Any

import numpy as np

from firstmover.core.errors import FirstmoverError
from firstmover.core.numerics import one_thread
from firstmover.matches.commands import NOTHING, Prepared
from firstmover.matches.events import Draft
from firstmover.matches.learner_state import observations
from firstmover.matches.round_table import Step
from firstmover.matches.state import State


def due(state: State) -> str | None:
    """The claim of the refit that should be recorded by now: after each import, or after every so many tells."""
    spec = state.setting.config.hyperparameters
    if spec.source == "config" or state.told + sum(state.imports.values()) < spec.at_least:
        return None
    if spec.source == "history":
        claim = f"refitted:history:{len(state.imports)}" if state.imports else None
    else:
        times = state.told // spec.every
        claim = f"refitted:told:{times}" if times else None
    return None if claim in state.refits else claim


def refitting(state: State) -> Prepared:
    """The kernel of largest marginal likelihood of the latest observations, if a refit is due.

    λ stays as it is: it is the variance of the noise in the likelihood. Where the learner refuses what was found, the
    kernel stays as it was, and the event says why.
    """
    claim = due(state)
    if claim is None:
        return NOTHING
    found = _fitted(state)
    try:
        learning = state.next_learning(Step(state.sequence + 1, theta=found["theta"]))
    except FirstmoverError as error:
        found |= {"theta": _kernel(state).theta.tolist(), "remarks": [*found["remarks"], f"not used: {error}"]}
        learning = state.next_learning(Step(state.sequence + 1, theta=found["theta"]))
    return Draft("refitted", found, claim=claim), learning


def _kernel(state: State) -> Any:
    """The kernel as it stands, after the refits so far."""
    last = next((step.theta for step in reversed(state.steps) if step.theta is not None), None)
    return state.setting.setup(last).kernel


def _fitted(state: State) -> dict[str, Any]:
    from firstmover.beliefs.fitting import fit_kernel
    from firstmover.kernels import bind

    game, spec = state.setting.game, state.setting.config.hyperparameters
    seen = list(observations(state.setting, state.steps))[-spec.at_most :]
    points = np.array([np.append(game.actions[f.action], f.opponent_type) for f in seen])
    responses = np.array([f.response for f in seen])
    kernel = bind(_kernel(state), game.actions.shape[1])
    with one_thread():
        fit = fit_kernel(kernel, points, responses, state.setting.regularization)
    return {
        "theta": fit.kernel.theta.tolist(),
        "kernel": str(fit.kernel),
        "log_likelihood": fit.log_likelihood,
        "observations": len(seen),
        "remarks": list(fit.remarks),
    }
