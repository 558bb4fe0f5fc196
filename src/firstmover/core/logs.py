"""Log records as lines of text or JSON on standard error, without tokens and passwords."""

import json
import logging
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, TextIO

from firstmover.core.errors import look_up

LEVELS = {name: getattr(logging, name.upper()) for name in ("debug", "info", "warning", "error")}

LOGGERS = ("firstmover", "uvicorn")
"""The loggers that are shown; `firstmover.matches`, `firstmover.service` and `firstmover.runs` are among them."""

CONTEXT: ContextVar[Mapping[str, Any]] = ContextVar("log_context", default=MappingProxyType({}))
"""Fields of all records that are made in this task, such as the id of a request."""

_SECRETS = re.compile(r"(?<=fm_)[\w-]{8,}|(?<=:)[^:/@\s]+(?=@)")
_OWN = frozenset((*vars(logging.makeLogRecord({})), "message", "asctime", "color_message"))


def without_secrets(text: str) -> str:
    """Return a text in which tokens and the passwords of URLs are replaced.

    >>> without_secrets("GET /fm_3kQx92LmPq, postgresql://ann:secret@db/matches")
    'GET /fm_…, postgresql://ann:…@db/matches'
    """
    return _SECRETS.sub("…", text)


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """Return a record by name: time, level, logger, message, the context, `extra`, and the traceback of an error."""
    extra = {name: value for name, value in vars(record).items() if name not in _OWN}
    error = {"error": logging.Formatter().formatException(record.exc_info)} if record.exc_info else {}
    return {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname.lower(),
        "logger": record.name,
        "message": record.getMessage().strip(),
        **CONTEXT.get(),
        **extra,
        **error,
    }


class JsonLines(logging.Formatter):
    """One JSON object per record."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line."""
        return without_secrets(json.dumps(fields_of(record), default=str, ensure_ascii=False))


class TextLines(logging.Formatter):
    """One line per record, with the traceback of an error below it."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as text; line breaks and control characters of values are written out."""
        fields = fields_of(record)
        error = fields.pop("error", None)
        head = [fields.pop(name) for name in ("time", "level", "logger", "message")]
        line = " ".join([*map(str, head), *(f"{name}={value}" for name, value in fields.items())])
        return without_secrets(_printable(line) if error is None else f"{_printable(line)}\n{error}")


class Sentences(logging.Formatter):
    """A sentence per record, for people who run a command, with the traceback of an error below it."""

    def format(self, record: logging.LogRecord) -> str:
        """Return level and message."""
        fields = fields_of(record)
        sentence = f"{record.levelname.capitalize()}: {_printable(fields['message'].rstrip('.'))}."
        return without_secrets("\n".join([sentence, *([fields["error"]] if "error" in fields else [])]))


def _printable(text: str) -> str:
    """Return a text in which line breaks and control characters are written out."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


FORMATS: dict[str, type[logging.Formatter]] = {"plain": Sentences, "text": TextLines, "json": JsonLines}


class _ToStandardError(logging.StreamHandler[TextIO]):
    """Writes to what standard error is at the time."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        return sys.stderr


@contextmanager
def shown_logs(level: str, form: str) -> Iterator[None]:
    """Show log records from a level on, in a format; afterwards the loggers are as they were."""
    handler = _ToStandardError()
    handler.setFormatter(look_up("log format", form, FORMATS)())
    number = look_up("log level", level, LEVELS)
    loggers = [logging.getLogger(name) for name in LOGGERS]
    before = [(logger, logger.level) for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(number)
    try:
        yield
    finally:
        for logger, old in before:
            logger.removeHandler(handler)
            logger.setLevel(old)
