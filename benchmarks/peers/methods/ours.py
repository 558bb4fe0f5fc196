"""firstmover's own belief, in the representation that `belief_over` chooses."""

from benchmarks.peers.workloads import Workload
from firstmover.beliefs import belief_over
from firstmover.core.arrays import Matrix, Vector


class Ours:
    """The belief of a learner."""

    def __init__(self, workload: Workload) -> None:
        self._belief = belief_over(
            workload.kernel, workload.regularization, workload.actions, workload.n_outputs, workload.types
        )

    def predict(self, opponent_type: Vector) -> tuple[Matrix, Vector]:
        """Mean and standard deviation of all actions."""
        prediction = self._belief.predict(opponent_type)
        return prediction.mean, prediction.std

    def observe(self, action: int, opponent_type: Vector, response: Vector) -> None:
        """Condition on one response."""
        self._belief = self._belief.condition(action, opponent_type, response)
