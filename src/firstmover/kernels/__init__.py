"""Kernel expressions over z = (action, type), and Gram tables over a finite menu."""

from firstmover.kernels.additive_features import Additive, additive
from firstmover.kernels.expressions import (
    KERNELS,
    KernelEntry,
    OnPart,
    bind,
    kernel_from,
    on_action,
    on_type,
    pairs,
    polynomial,
)
from firstmover.kernels.segment_demand import Demand, demand

__all__ = [
    "KERNELS",
    "Additive",
    "Demand",
    "KernelEntry",
    "OnPart",
    "additive",
    "bind",
    "demand",
    "kernel_from",
    "on_action",
    "on_type",
    "pairs",
    "polynomial",
]
