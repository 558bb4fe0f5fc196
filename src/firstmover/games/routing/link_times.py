"""Travel times of links by their flows, for many instances at once."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector
from firstmover.games.routing.network import Network

BPR_POWER = 4.0
"""The power of the Bureau of Public Roads, which is computed by products."""


@dataclass(frozen=True, eq=False)
class LinkTimes:
    """t_e(v) = fixed_e + slope_e v^power_e, the formula c_e (1 + b_e (v / C_e)^power_e) with a toll.

    `fixed` and `slope` are (E, B) or, if they are the same for all B instances, (E, 1); `power` is (E, 1). A toll is
    given in units of time.
    """

    fixed: Matrix
    slope: Matrix
    power: Matrix

    @classmethod
    def of(cls, network: Network, toll: Matrix | float = 0.0, capacity: Matrix | None = None) -> Self:
        """The times of a network, with tolls and other capacities of each instance (E, B) if they are given."""
        free_flow, b, power = (v[:, None] for v in (network.free_flow_time, network.b, network.power))
        constant = (power == 0) | (b == 0) | (free_flow == 0)
        capacity = network.capacity[:, None] if capacity is None else capacity
        at_once = np.where(power == 0, free_flow * b, 0.0)  # (v / C)⁰ = 1
        only = power[~constant]
        power = np.where(constant, only[0] if len(only) else BPR_POWER, power)
        slope = np.where(constant, 0.0, free_flow * b) / np.where(constant, 1.0, capacity) ** power
        return cls(free_flow + at_once + toll, slope, power)

    def marginal(self) -> Self:
        """The times at which an equilibrium is the system optimum: t_e(v) + v t_e'(v)."""
        return type(self)(self.fixed, self.slope * (1 + self.power), self.power)

    def of_instances(self, chosen: NDArray[np.intp]) -> Self:
        """The times of some instances."""
        fixed, slope = (part if part.shape[1] == 1 else part[:, chosen] for part in (self.fixed, self.slope))
        return type(self)(fixed, slope, self.power)

    def mean(self) -> Self:
        """The mean over instances."""
        fixed, slope = (part.mean(axis=1, keepdims=True) for part in (self.fixed, self.slope))
        return type(self)(fixed, slope, self.power)

    def __call__(self, flows: Matrix) -> tuple[Matrix, Matrix]:
        """t(v) and t'(v) of flows (E, B)."""
        if (self.power == BPR_POWER).all():
            cube = self.slope * flows * flows * flows
            return self.fixed + cube * flows, BPR_POWER * cube
        rising = self.slope * np.maximum(flows, 0.0) ** (self.power - 1)
        return self.fixed + rising * flows, self.power * rising

    def integral(self, flows: Matrix) -> Vector:
        """The objective of Beckmann, McGuire and Winsten (1956), Σ_e ∫₀^v t_e, of each instance (B,)."""
        rising = self.slope * np.maximum(flows, 0.0) ** self.power / (1 + self.power)
        return np.asarray(np.einsum("eb,eb->b", self.fixed + rising, flows), dtype=np.float64)
