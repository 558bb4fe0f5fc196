"""The runbook names every alarm, every error and every metric."""

import ast
import re
from pathlib import Path

from firstmover.core import errors
from firstmover.learners import alarms
from firstmover.service import operation_routes
from firstmover.service.request_metrics import RequestMetrics
from firstmover.service.webhook import Webhook

PAGE = (Path(__file__).parents[1] / "docs" / "operate" / "runbook.md").read_text("utf-8")


def first_cells(heading: str) -> set[str]:
    """The words in the first column of the table below a heading."""
    rows = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0].splitlines()
    return {word for row in rows if row.startswith("| ") for word in row.split(" | ")[0].strip("| ").split(", ")}


def alarm_names(path: Path) -> set[str]:
    """The names of the alarms that a module raises, from its source."""
    tree = ast.parse(path.read_text("utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "Alarm"]
    return {ast.literal_eval(call.args[0]) for call in calls}


def test_every_alarm_is_explained_and_no_other() -> None:
    names = set().union(*map(alarm_names, Path(alarms.__file__).parent.glob("*.py")))
    assert first_cells("Alarms") - {"alarm", "---"} == names


def test_every_error_is_explained_and_no_other() -> None:
    classes = {
        name
        for name, each in vars(errors).items()
        if isinstance(each, type) and issubclass(each, errors.FirstmoverError)
    }
    assert first_cells("Errors") - {"class", "---"} == {f"`{name}`" for name in classes}


def test_every_metric_is_watched_and_no_other() -> None:
    webhook = Webhook("http://127.0.0.1:9000/hook", b"a secret of the receiver")
    lines = "\n".join([*operation_routes._lines([], {}), *RequestMetrics().lines(), *webhook.lines()])
    made = {f"`{name}`" for name in re.findall(r"^# TYPE (\S+)", lines, re.MULTILINE)}
    assert first_cells("What to watch") - {"metric", "---"} == made
