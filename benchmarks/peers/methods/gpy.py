"""GPy: one model whose data is replaced in every round; asked for the menu at once, or for one action at a time."""

from typing import Any

import numpy as np

from benchmarks.peers.methods.history import History
from benchmarks.peers.workloads import Told, Workload
from firstmover.core.arrays import Matrix, Vector


def _kernel(workload: Workload) -> Any:
    """The workload's kernel in GPy's words."""
    from GPy import kern

    d, p = workload.actions.shape[1], workload.seen.shape[1]
    if workload.name == "W1":
        return kern.Matern52(d + p, lengthscale=0.5)
    if workload.name == "W2":
        return kern.Poly(d + p, bias=0.25, order=3)
    on_action = kern.RBF(d, lengthscale=0.5, active_dims=list(range(d)))
    return on_action * kern.RBF(p, lengthscale=0.5, active_dims=list(range(d, d + p)))


class Vectorised:
    """GPRegression with the noise variance λ, asked for all actions at once."""

    def __init__(self, workload: Workload) -> None:
        self._kernel, self._regularization = _kernel(workload), workload.regularization
        self._history, self._outputs = History(workload), workload.n_outputs
        self._model: Any = None

    def predict(self, opponent_type: Vector) -> tuple[Matrix, Vector]:
        """Mean and standard deviation of all actions."""
        menu = self._history.menu(opponent_type)
        if self._model is None:
            return np.zeros((len(menu), self._outputs)), np.sqrt(self._kernel.Kdiag(menu))
        return self._ask(menu)

    def _ask(self, menu: Matrix) -> tuple[Matrix, Vector]:
        mean, variance = self._model.predict_noiseless(menu)
        return mean, np.sqrt(variance[:, 0])

    def observe(self, action: int, opponent_type: Vector, response: Vector) -> None:
        """Take in one response; GPy then factorises."""
        from GPy.models import GPRegression

        history = self._history
        history.add(action, opponent_type, response)
        if self._model is None:
            self._model = GPRegression(history.points, history.responses, self._kernel, noise_var=self._regularization)
        else:
            self._model.set_XY(history.points, history.responses)

    def catch_up(self, told: list[Told]) -> None:
        """Take in responses of rounds that were not played and factorise once."""
        if told:
            self._history.add_all(told[:-1])
            self.observe(*told[-1])


class OneByOne(Vectorised):
    """The same model, asked for one action after another."""

    def _ask(self, menu: Matrix) -> tuple[Matrix, Vector]:
        answers = [self._model.predict_noiseless(row[None]) for row in menu]
        return np.vstack([mean for mean, _ in answers]), np.sqrt([variance[0, 0] for _, variance in answers])
