"""The kernels that documents can name: entries of the KERNELS table, each with the parameters of its function."""

from inspect import Parameter, signature
from typing import Any

from pydantic import create_model

from firstmover.core.documents import Specification
from firstmover.kernels.domain_kernels import additive, demand
from firstmover.kernels.expressions import matern, product, rbf
from firstmover.kernels.table import KernelEntry, linear, polynomial


def _entry(summary: str, build: Any) -> KernelEntry:
    """An entry whose parameters are the arguments of `build`, with their types and defaults."""
    arguments = signature(build).parameters.values()
    fields: dict[str, Any] = {
        a.name: (a.annotation, ... if a.default is Parameter.empty else a.default) for a in arguments
    }
    return KernelEntry(summary, build, create_model(build.__name__, __base__=Specification, **fields))


ENTRIES = {
    "rbf": _entry("variance · exp(−‖z − z'‖² / (2 length_scale²)): smooth responses", rbf),
    "matern": _entry("variance · Matérn of smoothness nu: rougher responses", matern),
    "linear": _entry("bias + z·z': responses linear in action and type", linear),
    "polynomial": _entry("(bias + z·z' / scale²)^degree: polynomial responses", polynomial),
    "additive": _entry("Σ_i (z_i z'_i / scale²)^degree: each feature adds its own power", additive),
    "demand": _entry("demand of segments by place, price aversion and size", demand),
    "product": _entry("one kernel of the action times one of the opponent_type", product),
}
