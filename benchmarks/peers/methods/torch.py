"""GPyTorch with new training data in every round, and BoTorch with a new model in every round; exact, in doubles."""

from contextlib import ExitStack
from typing import Any

import numpy as np

from benchmarks.peers.methods.history import History
from benchmarks.peers.workloads import Told, Workload
from firstmover.core.arrays import Matrix, Vector

PIECE = 600
"""Actions asked for at once: a joint prediction of more is slower, since it forms their whole covariance."""

ALWAYS_EXACT = 10**6
"""Size up to which GPyTorch must factorise instead of iterating."""


def kernel_of(workload: Workload) -> Any:
    """The workload's kernel in GPyTorch's words."""
    from gpytorch.kernels import MaternKernel, PolynomialKernel, RBFKernel

    d, p = workload.actions.shape[1], workload.seen.shape[1]
    if workload.name == "W1":
        kernel = MaternKernel(nu=2.5).double()
        kernel.lengthscale = 0.5
    elif workload.name == "W2":
        kernel = PolynomialKernel(power=3).double()
        kernel.offset = 0.25
    else:
        on_action = RBFKernel(active_dims=tuple(range(d))).double()
        on_type = RBFKernel(active_dims=tuple(range(d, d + p))).double()
        on_action.lengthscale = on_type.lengthscale = 0.5
        kernel = on_action * on_type
    return kernel.requires_grad_(False)


def exactly() -> ExitStack:
    """Without gradients, by Cholesky at any size."""
    import gpytorch
    import torch

    stack = ExitStack()
    stack.enter_context(torch.no_grad())
    stack.enter_context(gpytorch.settings.max_cholesky_size(ALWAYS_EXACT))
    stack.enter_context(gpytorch.settings.fast_pred_var())  # caches K⁻¹'s root, as BoTorch always does
    return stack


class Rebuilt:
    """BoTorch's SingleTaskGP with the noise variance λ, built anew in every round."""

    def __init__(self, workload: Workload) -> None:
        import torch

        torch.set_num_threads(1)
        self._workload, self._history, self._kernel = workload, History(workload), kernel_of(workload)
        self._model: Any = None

    def predict(self, opponent_type: Vector) -> tuple[Matrix, Vector]:
        """Mean and standard deviation of all actions."""
        import torch

        menu = torch.from_numpy(self._history.menu(opponent_type))
        with exactly():
            if self._model is None:
                variance = self._kernel(menu, diag=True)
                return np.zeros((len(menu), self._workload.n_outputs)), np.sqrt(variance.numpy())
            answers = [self._ask(piece) for piece in menu.split(PIECE)]
        return np.vstack([mean for mean, _ in answers]), np.concatenate([std for _, std in answers])

    def _ask(self, menu: Any) -> tuple[Matrix, Vector]:
        posterior = self._model.posterior(menu)
        return posterior.mean.numpy(), np.sqrt(posterior.variance[:, 0].numpy())

    def _build(self) -> Any:
        import torch
        from botorch.models import SingleTaskGP
        from gpytorch.means import ZeroMean

        points, responses = torch.from_numpy(self._history.points), torch.from_numpy(self._history.responses)
        noise = torch.full_like(responses, self._workload.regularization)
        model = SingleTaskGP(
            points, responses, noise, covar_module=self._kernel, mean_module=ZeroMean(), outcome_transform=None
        )
        return model.eval()

    def observe(self, action: int, opponent_type: Vector, response: Vector) -> None:
        """Take in one response and build the model again."""
        self._history.add(action, opponent_type, response)
        self._model = self._build()

    def catch_up(self, told: list[Told]) -> None:
        """Take in responses of rounds that were not played and build once."""
        if told:
            self._history.add_all(told[:-1])
            self.observe(*told[-1])


class Reset(Rebuilt):
    """GPyTorch's ExactGP whose training data is replaced in every round; m outputs are a batch."""

    def _ask(self, menu: Any) -> tuple[Matrix, Vector]:
        answer = self._model(menu)
        shape = (self._workload.n_outputs, len(menu))
        return answer.mean.reshape(shape).numpy().T, np.sqrt(answer.variance.reshape(shape)[0].numpy())

    def _data(self) -> tuple[Any, Any]:
        import torch

        points, responses = torch.from_numpy(self._history.points), torch.from_numpy(self._history.responses.T)
        outputs = self._workload.n_outputs
        return (points, responses[0]) if outputs == 1 else (points.expand(outputs, -1, -1), responses)

    def _build(self) -> Any:
        import torch
        from gpytorch.distributions import MultivariateNormal
        from gpytorch.likelihoods import GaussianLikelihood
        from gpytorch.models import ExactGP

        points, responses = self._data()
        if self._model is not None:
            self._model.set_train_data(points, responses, strict=False)
            return self._model
        kernel = self._kernel

        class ZeroMeanProcess(ExactGP):  # type: ignore[misc]  # GPyTorch asks for a subclass
            def forward(self, z: Any) -> Any:
                return MultivariateNormal(z.new_zeros(z.shape[:-1]), kernel(z))

        likelihood = GaussianLikelihood().double()
        likelihood.noise = torch.tensor(self._workload.regularization, dtype=torch.float64)
        return ZeroMeanProcess(points, responses, likelihood).eval()
