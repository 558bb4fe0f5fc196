"""BoTorch's own way to add an observation: `condition_on_observations`, which updates the last model's caches."""

from typing import Any

from benchmarks.peers.methods.torch import Rebuilt, exactly
from benchmarks.peers.workloads import Told


class Conditioned(Rebuilt):
    """A model conditioned on one more observation in every round, with the caches that make this incremental."""

    def _build(self) -> Any:
        import torch

        if self._model is None:
            return super()._build()
        point = torch.from_numpy(self._history.points[-1:])
        response = torch.from_numpy(self._history.responses[-1:])
        noise = torch.full_like(response, self._workload.regularization)
        with exactly():
            return self._model.condition_on_observations(point, response, noise=noise)

    def catch_up(self, told: list[Told]) -> None:
        """Take in responses of rounds that were not played and build once, with the caches that a round leaves."""
        import torch

        if not told:
            return
        self._model = None
        super().catch_up(told)
        with exactly():
            self._ask(torch.from_numpy(self._history.points[-1:]))
