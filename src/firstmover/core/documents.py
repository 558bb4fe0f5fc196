"""Strict reading of documents that a user writes; every error is one sentence."""

import json
import reprlib
import tomllib
from pathlib import Path
from typing import Any, Self, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from firstmover.core.errors import InvalidInput, unknown_name
from firstmover.core.files import read_at_most

LARGEST = 10_000_000
"""Bytes of the largest document that is read."""


class Specification(BaseModel):
    """A frozen model that is strict about types and names; errors are one sentence."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, ser_json_inf_nan="strings")

    @classmethod
    def read(cls, fields: object) -> Self:
        """The specification that these fields describe."""
        try:
            return cls.model_validate(fields)
        except ValidationError as error:
            raise refusal(error, cls) from None


def one_of(kinds: str) -> WrapValidator:
    """One error message for a failed union, which names the allowed kinds."""

    def checked(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(value)
        except ValidationError:
            raise ValueError(f"it should be {kinds}") from None

    return WrapValidator(checked)


def fields_of(path: Path, kind: str) -> dict[str, Any]:
    """Return the content of a TOML file, or of one named .json; errors call it by its kind, such as Experiment."""
    is_json = path.suffix.lower() == ".json"
    try:
        with path.open("rb") as file:
            content = read_at_most(file, LARGEST, f"{kind} file {str(path)!r}").decode("utf-8-sig")
        return json.loads(content) if is_json else tomllib.loads(content)
    except OSError as error:
        raise InvalidInput(f"{kind} file {str(path)!r} cannot be read: {error.strerror}.") from None
    except InvalidInput:
        raise
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits, and brackets nested as deeply
        form = "JSON" if is_json else "TOML"
        raise InvalidInput(f"{kind} file {str(path)!r} is not {form}: {parse_error_text(error)}.") from None


def parse_error_text(error: Exception) -> str:
    """The reason why text, TOML or JSON could not be parsed, as the end of a sentence.

    >>> try:
    ...     json.loads('{"a": 1 "b"}')
    ... except ValueError as error:
    ...     parse_error_text(error)
    'something is missing or wrong in line 1, column 9'
    """
    if isinstance(error, UnicodeError):
        return "give text in UTF-8"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        return f"something is missing or wrong in line {error.lineno}, column {error.colno}"
    return "a number has too many digits" if "int_max_str_digits" in str(error) else str(error)


def is_number(text: str) -> bool:
    """Return whether a text is a number.

    >>> is_number("2.00"), is_number("north")
    (True, False)
    """
    try:
        float(text)
    except ValueError:
        return False
    return True


def refusal(error: ValidationError, model: type[BaseModel]) -> InvalidInput:
    """Return the first of pydantic's errors as one sentence: field, value, remedy."""
    first = error.errors(include_url=False)[0]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, InvalidInput):
        return cause
    *place, field = [str(part) for part in first["loc"]] or ["document"]
    where = f"a name in {'.'.join(place[:-1])}" if field == "[key]" else ".".join([*place, field])
    if first["type"] == "extra_forbidden":
        return unknown_name("field", field, _model_at(model, place).model_fields)
    return InvalidInput(in_words(where, first))


def parameter_error(error: ValidationError, model: type[BaseModel], owner: str, usage: str) -> InvalidInput:
    """Return the first of pydantic's errors about the parameters of a table's entry, such as "learner 'fixed'"."""
    first = error.errors(include_url=False)[0]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, InvalidInput):
        return cause
    name = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden" and not model.model_fields:
        return InvalidInput(f"{owner} takes no parameters: leave {name} out.")
    if first["type"] == "extra_forbidden":
        return unknown_name(f"parameter of {owner}", name, model.model_fields)
    if first["type"] == "missing" and ":" in usage:
        return InvalidInput(f"{name} of {owner} is missing: write {usage}, or give {name} as a parameter.")
    return InvalidInput(in_words(f"{name} of {owner}", first))


def in_words(where: str, complaint: Any) -> str:
    """Return one of pydantic's errors as one sentence: field, value, remedy."""
    if complaint["type"] == "missing":
        return f"{where} is missing: give it."
    plain = _PLAIN.get(complaint["type"])
    message = plain.format(**complaint.get("ctx", {})) if plain else complaint["msg"]
    message = message.removeprefix("Value error, ").replace("Input", "it", 1)
    return f"{where} is {reprlib.repr(complaint['input'])}: {message[0].lower()}{message[1:]}."


_PLAIN = dict.fromkeys(
    ("dict_type", "model_type", "model_attributes_type"), "it should be a table of names and values"
) | {
    "list_type": "it should be a list",
    "string_type": "it should be a text",
    "int_parsing": "give a whole number",
    "int_parsing_size": "give a whole number of fewer digits",
    "float_parsing": "give a number",
    "string_too_short": "give a text of {min_length} or more characters",
    "string_too_long": "give a text of {max_length} or fewer characters",
    "too_short": "give {min_length} or more entries",
    "too_long": "give {max_length} or fewer entries",
}
"""Plain wording of those of pydantic's errors that mention Python types."""


def _model_at(model: type[BaseModel], place: list[str]) -> type[BaseModel]:
    """Return the model at a place of a document; positions in lists are skipped."""
    for name in place:
        if name in model.model_fields:
            model = next(_models_in(model.model_fields[name].annotation), model)
    return model


def _models_in(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)
