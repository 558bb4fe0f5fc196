"""The kernels of the KERNELS table: what each builds and which parameters it takes."""

from typing import Any

from firstmover.core.documents import Specification
from firstmover.kernels.additive_features import additive
from firstmover.kernels.expressions import KernelEntry, linear, matern, polynomial, product, rbf
from firstmover.kernels.segment_demand import demand


class RBFParameters(Specification):
    """Parameters of the squared exponential kernel."""

    length_scale: float = 1.0
    variance: float = 1.0


class MaternParameters(Specification):
    """Parameters of the Matérn kernel."""

    length_scale: float = 1.0
    variance: float = 1.0
    nu: float = 2.5


class LinearParameters(Specification):
    """Parameters of the linear kernel."""

    bias: float = 1.0


class PolynomialParameters(Specification):
    """Parameters of the polynomial kernel."""

    degree: int
    bias: float = 1.0
    scale: float = 1.0


class AdditiveParameters(Specification):
    """Parameters of the additive kernel."""

    degree: int
    scale: float = 1.0


class DemandParameters(Specification):
    """Parameters of the kernel of segment demand."""

    length_scale: float = 1.0
    place_scale: float = 1.0
    variance: float = 1.0


class ProductParameters(Specification):
    """The two kernels of a product, each as a name with parameters."""

    action: Any
    opponent_type: Any


ENTRIES = {
    "rbf": KernelEntry("variance · exp(−‖z − z'‖² / (2 length_scale²)): smooth responses", rbf, RBFParameters),
    "matern": KernelEntry("variance · Matérn of smoothness nu: rougher responses", matern, MaternParameters),
    "linear": KernelEntry("bias + z·z': responses linear in action and type", linear, LinearParameters),
    "polynomial": KernelEntry("(bias + z·z' / scale²)^degree: polynomial responses", polynomial, PolynomialParameters),
    "additive": KernelEntry(
        "Σ_i (z_i z'_i / scale²)^degree: each feature adds its own power", additive, AdditiveParameters
    ),
    "demand": KernelEntry("demand of segments by place, price aversion and size", demand, DemandParameters),
    "product": KernelEntry("one kernel of the action times one of the opponent_type", product, ProductParameters),
}
