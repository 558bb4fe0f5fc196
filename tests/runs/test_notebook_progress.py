import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from firstmover.runs import compare
from firstmover.runs.notebook_progress import NotebookBar, default_watch, in_notebook
from firstmover.runs.pool import Progress


class Handle:
    """The part of IPython that shows and replaces outputs."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def display(self, html: Any, *, display_id: bool) -> "Handle":
        assert display_id
        self.update(html)
        return self

    def update(self, html: Any) -> None:
        self.shown.append(html.data)


@pytest.fixture
def output(monkeypatch: pytest.MonkeyPatch) -> Handle:
    """What a notebook would show; this process counts as its kernel."""
    handle, display, shell = Handle(), ModuleType("IPython.display"), type("ZMQInteractiveShell", (), {})()
    display.__dict__.update(HTML=lambda data: SimpleNamespace(data=data), display=handle.display)
    package = ModuleType("IPython")
    package.__dict__.update(get_ipython=lambda: shell, display=display)
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return handle


def test_a_bar_is_replaced_and_goes_at_the_end(output: Handle) -> None:
    bar = NotebookBar(patience=0.0)
    for done, failed in ((1, 0), (1, 1), (2, 1)):
        bar(Progress(3, done, failed))
    assert [each.count("<progress") for each in output.shown] == [1, 1, 0]
    assert 'value="2" max="3"' in output.shown[1]
    assert "1 of 3 done, 1 failed" in output.shown[1]


def test_quick_tasks_show_nothing(output: Handle) -> None:
    assert isinstance(default_watch(), NotebookBar)
    compare("shore", "random", ["uniform"], rounds=2, seeds=2)
    assert output.shown == []


def test_tasks_that_take_longer_show_a_bar(output: Handle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firstmover.runs.notebook_progress.monotonic", iter(range(0, 100, 5)).__next__)
    compare("shore", "random", ["uniform"], rounds=2, seeds=3)
    assert ["of 3 done" in each for each in output.shown] == [True, True, False]


def test_outside_of_a_notebook_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "IPython", None)
    assert not in_notebook()
    default_watch()(Progress(2, 1))
    terminal = ModuleType("IPython")
    terminal.__dict__.update(get_ipython=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "IPython", terminal)
    assert not in_notebook()
