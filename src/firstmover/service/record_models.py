"""Models of records, so that the OpenAPI document describes what every view returns."""

from dataclasses import is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
from pydantic import BaseModel, create_model

Number = float | None
"""A number as `json_values` writes it: None where it is not finite."""

Numbers = list[Number] | list[list[Number]] | list[list[list[Number]]]
"""An array of one to three axes."""


@cache
def record_model(record: type) -> type[BaseModel]:
    """Return the model of a record, a dataclass or a named tuple, as `json_values` writes it.

    >>> from dataclasses import make_dataclass
    >>> Curve = make_dataclass("Curve", [("labels", tuple[str, ...]), ("value", float)])
    >>> record_model(Curve).model_json_schema()["properties"]["labels"]["items"]
    {'type': 'string'}
    """
    fields: dict[str, Any] = {name: (_as_json(kind), ...) for name, kind in get_type_hints(record).items()}
    return create_model(record.__name__, __doc__=(record.__doc__ or "").split("\n\n")[0], **fields)


def _as_json(kind: Any) -> Any:
    """The type of a value after `json_values`."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is np.ndarray:
        return Numbers
    if origin is dict:
        return dict[str, _as_json(arguments[1])]  # type: ignore[misc]
    if origin in (Union, UnionType, tuple, list):
        union: Any = Union[tuple(_as_json(each) for each in arguments if each is not Ellipsis)]  # noqa: UP007
        return list[union] if origin in (tuple, list) else union
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        return record_model(kind) if _has_arrays(kind) else kind
    return Number if kind is float else kind


def _has_arrays(kind: Any) -> bool:
    """Whether a type is an array or has one in it; pydantic knows all others."""
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        return any(map(_has_arrays, get_type_hints(kind).values()))
    return get_origin(kind) is np.ndarray or any(map(_has_arrays, get_args(kind)))
