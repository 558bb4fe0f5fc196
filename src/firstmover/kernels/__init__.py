"""Kernel expressions over z = (action, type), and Gram tables over a finite menu."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from firstmover.kernels.table import KERNELS, KernelEntry, kernel_from, on_action, on_type, pairs, polynomial

if TYPE_CHECKING:
    from firstmover.kernels.domain_kernels import Additive, Demand, additive, demand
    from firstmover.kernels.expressions import OnPart, bind
    from firstmover.kernels.gram import DomainGram, MenuGram
    from firstmover.kernels.structure import split

__all__ = [
    "KERNELS",
    "Additive",
    "Demand",
    "DomainGram",
    "KernelEntry",
    "MenuGram",
    "OnPart",
    "additive",
    "bind",
    "demand",
    "kernel_from",
    "on_action",
    "on_type",
    "pairs",
    "polynomial",
    "split",
]

_MODULES = {
    "domain_kernels": ("Additive", "Demand", "additive", "demand"),
    "expressions": ("OnPart", "bind"),
    "gram": ("DomainGram", "MenuGram"),
    "structure": ("split",),
}
_MODULE_OF = {name: f"{__name__}.{module}" for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a name on first use: scikit-learn is slow to import."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return value
