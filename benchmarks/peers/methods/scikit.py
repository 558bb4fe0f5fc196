"""scikit-learn's regressor, fitted again in every round with its hyperparameters kept."""

from sklearn.gaussian_process import GaussianProcessRegressor

from benchmarks.peers.methods.history import History
from benchmarks.peers.workloads import Told, Workload
from firstmover.core.arrays import Matrix, Vector
from firstmover.kernels import bind


class Refit:
    """GaussianProcessRegressor(optimizer=None)."""

    def __init__(self, workload: Workload) -> None:
        kernel = bind(workload.kernel, workload.actions.shape[1])
        self._model = GaussianProcessRegressor(
            kernel, alpha=workload.regularization, optimizer=None, n_targets=workload.n_outputs
        )
        self._history = History(workload)

    def predict(self, opponent_type: Vector) -> tuple[Matrix, Vector]:
        """Mean and standard deviation of all actions."""
        menu = self._history.menu(opponent_type)
        mean, std = self._model.predict(menu, return_std=True)
        return mean.reshape(len(menu), -1), std.reshape(len(menu), -1)[:, 0]

    def observe(self, action: int, opponent_type: Vector, response: Vector) -> None:
        """Take in one response and fit again."""
        self._history.add(action, opponent_type, response)
        self._model.fit(self._history.points, self._history.responses)

    def catch_up(self, told: list[Told]) -> None:
        """Take in responses of rounds that were not played and fit once."""
        if told:
            self._history.add_all(told[:-1])
            self.observe(*told[-1])
