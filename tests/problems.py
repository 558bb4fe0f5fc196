"""Random problems: kernels of every sort, and observations at actions x types, some of them twice."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, Kernel, Matern, RationalQuadratic

from firstmover.beliefs import FiniteBelief, FreshBelief
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Belief
from firstmover.kernels import additive, bind, on_action, on_type, pairs, polynomial


def base_kernels(features: int, rng: np.random.Generator) -> dict[str, Kernel]:
    """One kernel of every sort, for rows with this many features."""
    length, lengths = rng.uniform(0.3, 2.0), rng.uniform(0.3, 2.0, features)
    return {
        "rbf": RBF(length),
        "rbf-ard": RBF(lengths),
        "matern-0.5": Matern(length, nu=0.5),
        "matern-1.5": Matern(lengths, nu=1.5),
        "matern-2.5": Matern(length, nu=2.5),
        "rational-quadratic": RationalQuadratic(length, alpha=rng.uniform(0.5, 2.0)),
        "dot-product": DotProduct(rng.uniform(0.2, 1.0)),
        "polynomial-2": polynomial(2, bias=rng.uniform(0.2, 1.0)),
        "polynomial-3": polynomial(3, bias=rng.uniform(0.2, 1.0)),
        "polynomial-4": polynomial(4, bias=rng.uniform(0.2, 1.0)),
        "additive": additive(2, scale=rng.uniform(0.5, 1.0)),
        "constant": ConstantKernel(rng.uniform(0.3, 2.0)),
    }


def random_kernel(action_features: int, type_features: int, rng: np.random.Generator) -> Kernel:
    """A kernel of one sort or two: on z or on its parts; alone, as a sum, a product or a power."""

    def part() -> Kernel:
        place = rng.choice(["z", "action", "type"])
        features = {"z": action_features + type_features, "action": action_features, "type": type_features}[place]
        kernel = rng.choice(list(base_kernels(features, rng).values()))
        return {"z": lambda k: k, "action": on_action, "type": on_type}[place](kernel)

    match rng.choice(["alone", "sum", "product", "power"]):
        case "sum":
            return part() + part()
        case "product":
            return part() * part()
        case "power":
            return part() ** 2
    return part()


@dataclass(frozen=True)
class Problem:
    """Responses (t, m) at actions chosen[:, 0] and types chosen[:, 1]."""

    kernel: Kernel
    regularization: float
    actions: Matrix
    types: Matrix
    chosen: np.ndarray
    responses: Matrix

    @cached_property
    def bound(self) -> Kernel:
        return bind(self.kernel, self.actions.shape[1])

    @property
    def points(self) -> Matrix:
        return np.hstack([self.actions[self.chosen[:, 0]], self.types[self.chosen[:, 1]]])

    def queries(self, opponent_type: Vector) -> Matrix:
        return pairs(self.actions, opponent_type[None])

    def priors(self) -> list[Belief]:
        outputs = self.responses.shape[1]
        return [
            FiniteBelief.prior(self.kernel, self.regularization, self.actions, self.types, outputs),
            FreshBelief.prior(self.kernel, self.regularization, self.actions, outputs),
        ]

    def beliefs(self) -> list[Belief]:
        """Every sort of belief, after all the responses."""
        return [self.told(prior) for prior in self.priors()]

    def told(self, belief: Belief) -> Belief:
        for (action, kind), response in zip(self.chosen, self.responses, strict=True):
            belief = belief.condition(int(action), self.types[kind], response)
        return belief


def random_problem(rng: np.random.Generator, t: int, regularization: float = 1.0, kernel: Kernel = None) -> Problem:
    """A problem in the unit cube, with fewer pairs (action, type) than rounds when t is large: some come twice."""
    d, p, m = rng.integers(1, 4), rng.integers(1, 3), rng.choice([1, 3])
    n, q = rng.integers(2, 7), rng.integers(1, 5)
    return Problem(
        kernel=random_kernel(int(d), int(p), rng) if kernel is None else kernel,
        regularization=regularization,
        actions=rng.uniform(-1, 1, (n, d)),
        types=rng.uniform(-1, 1, (q, p)),
        chosen=np.column_stack([rng.integers(n, size=t), rng.integers(q, size=t)]),
        responses=rng.normal(size=(t, m)),
    )
