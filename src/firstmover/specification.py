"""Documents that a user writes, read strictly: what is wrong is said in one sentence."""

import reprlib
import tomllib
from pathlib import Path
from typing import Any, Self, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from firstmover.errors import InvalidInput, unknown_name


class Specification(BaseModel):
    """Strict about types and names, and a value once made; what is wrong is said in one sentence."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, ser_json_inf_nan="strings")

    @classmethod
    def read(cls, fields: object) -> Self:
        """The specification that these fields describe."""
        try:
            return cls.model_validate(fields)
        except ValidationError as error:
            raise refusal(error, cls) from None


def fields_of(path: Path, kind: str) -> dict[str, Any]:
    """What stands in a TOML file, which the refusal calls by its kind, such as Experiment."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidInput(f"{kind} file {str(path)!r} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits, and brackets as deep
        raise InvalidInput(f"{kind} file {str(path)!r} is not TOML: {error}.") from None


def refusal(error: ValidationError, model: type[BaseModel]) -> InvalidInput:
    """The first of pydantic's complaints as one sentence: field, value, remedy."""
    first = error.errors(include_url=False)[0]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, InvalidInput):
        return cause
    *place, field = [str(part) for part in first["loc"]] or ["document"]
    where = ".".join([*place, field])
    if first["type"] == "missing":
        return InvalidInput(f"{where} is missing: give it.")
    if first["type"] == "extra_forbidden":
        return unknown_name("field", field, _model_at(model, place).model_fields)
    message = first["msg"].replace("Input", "it", 1)
    return InvalidInput(f"{where} is {reprlib.repr(first['input'])}: {message[0].lower()}{message[1:]}.")


def _model_at(model: type[BaseModel], place: list[str]) -> type[BaseModel]:
    """The model that stands at a place of a document; positions in lists are passed over."""
    for name in place:
        if name in model.model_fields:
            model = next(_models_in(model.model_fields[name].annotation), model)
    return model


def _models_in(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)
