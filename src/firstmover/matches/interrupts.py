"""Ctrl-C during a transaction: it is deferred until the transaction has ended, except while it waits or computes.

A signal handler that raises can do so between any two steps of Python, also inside the code that rolls back and closes.
A connection would then keep its lock as long as the exception is referenced: in an interactive session, until the next.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from signal import SIGINT, SIGTERM, getsignal, signal
from threading import current_thread, main_thread
from types import FrameType
from typing import Any, TypeVar

SIGNALS = (SIGINT, SIGTERM)
"""Signals whose handlers may raise; Python calls them in the main thread only."""

Result = TypeVar("Result")


class Deferral:
    """The handler of SIGNALS while they are deferred."""

    active: "Deferral | None" = None

    def __init__(self) -> None:
        self.before: dict[int, Callable[[int, FrameType | None], Any]] = {}
        self.arrived: list[tuple[int, FrameType | None]] = []
        self.open = self.raised = self.ended = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Keep a signal for later, or handle it; after an exception nothing interrupts the cleanup."""
        if not self.ended and (self.raised or not self.open):
            self.arrived.append((number, frame))
            return
        self.raised = True
        self.before[number](number, frame)
        self.raised = False

    def deliver(self) -> None:
        """Handle the signals that arrived."""
        while self.arrived:
            number, frame = self.arrived.pop(0)
            self(number, frame)

    def install(self) -> None:
        """Replace the handlers that are functions of Python: others raise nothing."""
        for number in SIGNALS:
            handler = getsignal(number)
            if callable(handler):
                self.before[number] = handler
                signal(number, self)

    def end(self) -> None:
        """Restore the handlers; one that raises meanwhile leaves others that pass every signal on."""
        try:
            for number, handler in self.before.items():
                signal(number, handler)
        finally:
            self.ended = True
        self.deliver()


@contextmanager
def deferred() -> Iterator[None]:
    """Defer signals to the end of the block, except during calls of `interruptible`."""
    if current_thread() is not main_thread():
        yield
    elif Deferral.active is None:
        deferral = Deferral()
        try:
            Deferral.active = deferral
            deferral.install()
            yield
        finally:
            Deferral.active = None
            deferral.end()
    else:
        outer = Deferral.active
        was, outer.open = outer.open, False
        try:
            yield
        finally:
            outer.open = was
            if was and not outer.raised:
                outer.deliver()


def interruptible(call: Callable[[], Result]) -> Result:
    """Return the result of a call, which a signal may interrupt once even where signals are deferred."""
    deferral = Deferral.active
    if deferral is None or current_thread() is not main_thread():
        return call()
    was = deferral.open
    try:
        deferral.open = True
        if not deferral.raised:
            deferral.deliver()
        return call()
    finally:
        deferral.open = was
