"""Values that are given to the client without their names, read as the library reads them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from firstmover.matches.config import ResponseSpec, TypeSpec
from firstmover.matches.value_schema import GameTypes, Responses, Types

Readers = Mapping[str, Types | GameTypes | Responses]
"""How a type and a response are read."""


def readers(setting: Mapping[str, Any]) -> Readers:
    """The readers of a match, by its setting as the service sends it.

    >>> responses = [{"name": "sold", "unit": "cups", "lower": 0.0, "upper": None}]
    >>> read = readers({"config": {"types": [{"name": "customers"}]}, "responses": responses})
    >>> read["type"].read(3), read["response"].read([20])
    ({'customers': 3.0}, {'sold': 20.0})
    """
    responses = Responses(tuple(ResponseSpec.model_validate(each) for each in setting["responses"]))
    return {"type": _types(setting), "response": responses}


def _types(setting: Mapping[str, Any]) -> Types | GameTypes:
    if (stated := setting["config"]["types"]) is not None:
        return Types(tuple(TypeSpec.model_validate(each) for each in stated))
    levels = setting["types"][0]["levels"]
    return GameTypes(None if levels is None else np.zeros((len(levels), 1)))  # of known types only the number matters
