"""The library, the command line, HTTP and the client offer the same words for a match, with the same values."""

import inspect
from typing import Any

import pytest
from typer.main import get_command

from firstmover.cli.matches import match
from firstmover.matches import Match
from firstmover.service.app import create_app
from firstmover.service.client import RemoteMatch
from firstmover.service.tokens import Tokens

IN_PROCESS = {"create", "open", "close", "state", "learner", "delete_exported", "round_logs"}
"""Methods of a match that belong to a process, and those that are the service's side of `delete` and of its rounds."""

WORDS = {name: each for name, each in vars(Match).items() if inspect.isfunction(each) and not name.startswith("_")}
WORDS = {name: each for name, each in WORDS.items() if name not in IN_PROCESS}

COMMANDS = {"import_history": "import", "change_log": "menu", "add_actions": "add-actions"}
COMMANDS |= {"set_reward": "set-reward", "add_levels": "add-levels", "what_if": "what-if", "check": "tell"}
COMMANDS |= {"set_schedule": "schedule", "due": "schedule", "round_log": "log"}
"""Commands that have another name than their method."""

OPTIONS = {
    ("import_history", "rows"): ["file"],
    ("import_history", "source"): ["file"],
    ("import_history", "columns"): ["columns", "column"],
    ("rename", "name"): ["new_name"],
    ("set_schedule", "schedule"): ["at", "every_hours", "day", "weekdays", "zone", "none"],
    ("add_actions", "rows"): ["action", "file"],
    ("set_reward", "reward"): ["config", "value", "response"],
    ("add_levels", "name"): ["type_name"],
    ("evaluate", "policies"): ["policy", "action", "all_actions", "by"],
    ("evaluate", "learners"): ["learner"],
}
"""Parameters of commands for values that a person gives in another form."""

OPERATIONS = {
    "archive": ("archive", {"archived"}),
    "unarchive": ("archive", {"archived"}),
    "delete": ("delete_match", {"confirm", "head"}),
    "due": ("show_schedule", set()),
    "history": ("list_rounds", set()),
    "import_history": ("import_history", {"rows", "csv", "records", "source", "again", "columns", "decimal"}),
    "unretire": ("retire", {"action", "retired", "reason"}),
    "add_levels": ("add_levels", {"type", "levels", "reason"}),
}
"""Calls that have another name or other fields than their method."""


def parameters(method: Any) -> dict[str, inspect.Parameter]:
    found = dict(inspect.signature(method).parameters)
    del found["self"]
    return found


def test_the_words_are_those_that_are_known_here() -> None:
    assert {"ask", "tell", "record", "retire", "unretire", "set_reward", "add_levels", "add_actions"} <= WORDS.keys()
    assert len(WORDS) >= 19


@pytest.mark.parametrize("name", WORDS)
def test_the_client_has_every_method_with_the_same_parameters(name: str) -> None:
    here, there = parameters(WORDS[name]), parameters(getattr(RemoteMatch, name))
    assert [(each.name, each.kind, each.default) for each in here.values()] == [
        (each.name, each.kind, each.default) for each in there.values()
    ]


@pytest.mark.parametrize("name", WORDS)
def test_the_command_line_has_every_method_with_its_values(name: str) -> None:
    command = get_command(match).commands[COMMANDS.get(name, name)]  # type: ignore[attr-defined]
    known = {each.name for each in command.params}
    assert {"name", "store", "as_json"} <= known
    for value in parameters(WORDS[name]):
        assert known.issuperset(OPTIONS.get((name, value), [value])), value


@pytest.fixture(scope="module")
def operations(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The fields of every call over HTTP by the name of the call: path, query and body."""
    folder = tmp_path_factory.mktemp("service")
    described = create_app(folder / "matches.db", folder, Tokens(folder / "tokens.json")).openapi()
    found = {}
    for operation in [each for path in described["paths"].values() for each in path.values()]:
        text = str(operation.get("requestBody"))
        models = [schema for name, schema in described["components"]["schemas"].items() if f"/{name}'" in text]
        fields = {field for model in models for field in model["properties"]}
        found[operation["operationId"]] = fields | {each["name"] for each in operation.get("parameters", ())}
    return found


@pytest.mark.parametrize("name", WORDS)
def test_http_has_every_method_with_its_values(operations: dict[str, set[str]], name: str) -> None:
    called, fields = OPERATIONS.get(name, (name, None))
    wanted = set(parameters(WORDS[name])) if fields is None else fields
    known = operations[called]
    assert wanted <= known | {f"{each}_id" for each in known}, "round and record are named in the path"


def test_commands_and_options_have_help() -> None:
    for name, command in get_command(match).commands.items():  # type: ignore[attr-defined]
        assert command.help, name
        for option in command.params:
            assert getattr(option, "help", None), f"{name} {option.name}"


def test_the_table_of_this_file_names_nothing_that_is_gone() -> None:
    assert {*COMMANDS, *OPERATIONS, *(name for name, _ in OPTIONS)} <= WORDS.keys()
