"""Files that hold actions before they are played are their owner's; links and files without end are refused."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from firstmover.core import documents
from firstmover.core.errors import InvalidInput
from firstmover.matches import Match, database, files
from tests.cli.running import app, runner
from tests.cli.running import match as command
from tests.matches.played import ROUTES, new, play


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("no_umask")
@pytest.mark.parametrize("suffix", ["csv", "parquet", "json"])
def test_an_export_is_its_owners_whatever_the_umask(tmp_path: Path, suffix: str) -> None:
    with new(tmp_path) as match:
        match.ask("pending")
    out = tmp_path / f"rounds.{suffix}"
    out.touch(0o666)
    command("export", "roads", "--out", str(out), "--store", str(tmp_path / "matches.db"))
    assert out.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("mode", "warned"), [(0o600, False), (0o640, False), (0o644, True), (0o606, True)])
def test_a_store_that_all_users_can_read_is_opened_with_a_warning(tmp_path: Path, mode: int, warned: bool) -> None:
    new(tmp_path).close()
    path = tmp_path / "matches.db"
    path.chmod(mode)
    database.warn_of_readers.cache_clear()
    said = runner.invoke(app, ["match", "status", "roads", "--store", str(path)])
    assert said.exit_code == 0
    sentence = (
        f"Warning: store {str(path)!r} is open to all users, and holds actions before they are played: chmod 600 it.\n"
    )
    assert said.stderr == (sentence if warned else "")
    assert runner.invoke(app, ["match", "status", "roads", "--store", str(path)]).stderr == "", "said once per process"


@pytest.mark.parametrize("there", [True, False])
def test_a_new_store_is_not_made_through_a_link(tmp_path: Path, there: bool) -> None:
    target, link = tmp_path / "empty", tmp_path / "matches.db"
    if there:
        target.touch(0o644)
    link.symlink_to(target)
    with pytest.raises(InvalidInput, match="cannot be created: it is a link to no store; choose another place"):
        Match.create(link, "roads", ROUTES)
    assert target.exists() == there
    assert not there or (target.stat().st_size, target.stat().st_mode & 0o777) == (0, 0o644)


def test_a_link_to_a_store_is_followed(tmp_path: Path) -> None:
    play(new(tmp_path), range(2))
    (tmp_path / "link.db").symlink_to(tmp_path / "matches.db")
    with Match.create(tmp_path / "link.db", "other", ROUTES), Match.open(tmp_path / "link.db", "roads") as match:
        assert match.verify().rounds == 2


def test_a_configuration_without_end_is_not_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "match.toml").symlink_to("/dev/zero")
    with pytest.raises(InvalidInput, match=r"Match file '.*' is larger than 10 MB: give a smaller one"):
        Match.create(tmp_path / "m.db", "roads", tmp_path / "match.toml")
    assert not (tmp_path / "m.db").exists()
    monkeypatch.setattr(documents, "LARGEST", 20)
    exact = tmp_path / "exact.toml"
    exact.write_text("title = 'ten bytes!'")
    assert documents.fields_of(exact, "Match") == {"title": "ten bytes!"}
    exact.write_text("title = 'ten bytes!' ")
    with pytest.raises(InvalidInput, match="is larger than"):
        documents.fields_of(exact, "Match")


def test_a_table_without_end_is_not_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST", 1_000_000)
    (tmp_path / "table.csv").symlink_to("/dev/zero")
    with (
        new(tmp_path) as match,
        pytest.raises(InvalidInput, match=r"table\.csv' is larger than 1 MB: give a smaller one"),
    ):
        match.import_history(tmp_path / "table.csv")
    sentence = command(
        "import", "roads", "-", "--store", str(tmp_path / "matches.db"), stdin="action,demand\n" * 100_000, code=2
    )
    assert sentence == "file '-' is larger than 1 MB: give a smaller one."
