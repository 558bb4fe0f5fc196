"""Hyperparameters fitted by marginal likelihood when the configuration asks for it, recorded as events."""

from typing import Any

import numpy as np

from firstmover.core.errors import FirstmoverError
from firstmover.core.numerics import one_thread
from firstmover.matches.commands import NOTHING, Prepared
from firstmover.matches.events import Draft
from firstmover.matches.learner_state import fitted_theta, observations
from firstmover.matches.state import State


def due(state: State) -> str | None:
    """The claim of the refit that is due: after each import, or after every `every` tells; None if none is."""
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
    """The kernel with the largest marginal likelihood of the latest observations, if a refit is due.

    λ is fixed: it is the variance of the noise in the likelihood. If the learner rejects the fitted kernel, the event
    keeps the old one and states the reason.
    """
    claim = due(state)
    if claim is None:
        return NOTHING
    found = _fitted(state)
    try:
        learning = state.next_learning(Draft("refitted", found))
    except FirstmoverError as error:
        found |= {"theta": _kernel(state).theta.tolist(), "remarks": [*found["remarks"], f"not used: {error}"]}
        learning = state.next_learning(Draft("refitted", found))
    return Draft("refitted", found, claim=claim), learning


def _kernel(state: State) -> Any:
    """The kernel after the refits so far."""
    return state.setting.kernel(fitted_theta(state.steps))


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
