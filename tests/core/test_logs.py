"""Log records as lines, without secrets."""

import json
import logging
from pathlib import Path

import pytest

from firstmover.cli import app
from firstmover.core.logs import LOGGERS, JsonLines, TextLines, shown_logs, without_secrets
from tests.cli.running import refused, runner
from tests.matches.played import ROUTES

TOKEN = "fm_3kQx92LmPq-7_aB"


def test_lines_have_level_and_logger_and_no_secret(capsys: pytest.CaptureFixture[str]) -> None:
    log = logging.getLogger("firstmover.matches.anything")
    with shown_logs("info", "json"):
        log.debug("not shown")
        log.warning("%s came\nby", TOKEN, extra={"url": "postgresql://ann:s3cret@db/x", "round": 3})
        try:
            raise ValueError(TOKEN)
        except ValueError:
            log.exception("failed")
    log.error("nobody listens")
    first, second = (json.loads(line) for line in capsys.readouterr().err.splitlines())
    assert (first["level"], first["logger"], first["message"]) == ("warning", log.name, "fm_… came\nby")
    assert (first["url"], first["round"]) == ("postgresql://ann:…@db/x", 3)
    assert second["error"].endswith("ValueError: fm_…")


def test_text_has_one_line_per_record_whatever_is_in_it() -> None:
    record = logging.makeLogRecord({"msg": "a\nERROR forged \x1b[31m", "name": "firstmover", "path": "x\r\ny"})
    line = TextLines().format(record)
    assert line.isprintable()
    assert line.endswith(r" firstmover a\nERROR forged \x1b[31m path=x\r\ny")
    assert "\n" not in JsonLines().format(record)


def test_plain_records_are_a_sentence_each(capsys: pytest.CaptureFixture[str]) -> None:
    with shown_logs("warning", "plain"):
        logging.getLogger("firstmover.matches").warning("all users\ncan read %s", TOKEN)
    assert capsys.readouterr().err == "Warning: all users\\ncan read fm_….\n"


def test_loggers_are_as_they_were_afterwards() -> None:
    def state() -> list[tuple[int, list[logging.Handler]]]:
        return [(logger.level, [*logger.handlers]) for logger in map(logging.getLogger, LOGGERS)]

    before = state()
    with shown_logs("debug", "text"):
        assert state() != before
    assert state() == before


@pytest.mark.parametrize("text", ["fm_x", "a:b", "ann@example.org", "12:30"])
def test_what_is_no_secret_stays(text: str) -> None:
    assert without_secrets(text) == text


def test_every_command_logs_what_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("match.json").write_text(json.dumps(ROUTES))
    assert runner.invoke(app, ["match", "new", "roads", "--config", "match.json"]).stderr == ""
    asked = runner.invoke(app, ["match", "ask", "roads", "--log-level", "info", "--log-format=json"])
    [line] = asked.stderr.splitlines()
    assert {"match": "roads", "event": "asked", "level": "info"}.items() <= json.loads(line).items()
    assert runner.invoke(app, ["match", "ask", "roads"], env={"FIRSTMOVER_LOG_LEVEL": "debug"}).exit_code == 0
    assert refused("list", "--log-level", "loud") == "Unknown log level 'loud': Known: debug, error, info, warning."
    assert refused("list", "--log-format", "xml") == "Unknown log format 'xml': Known: json, plain, text."


def test_sweeps_log_their_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["play", "shore", "--rounds", "2", "--seeds", "1", "--log-level", "info", "--log-format", "text"]
    assert "info firstmover.runs.sweep begun:" in runner.invoke(app, command).stderr
