import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from firstmover.core.errors import InvalidInput
from firstmover.service.tokens import PAGE, Tokens
from tests.cli.running import refused, runner


def role_of(tokens: Tokens, secret: str) -> str | None:
    found = tokens.find(secret)
    return None if found is None else found.role


def test_a_token_is_kept_hashed_in_a_file_of_its_owner_alone(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path / "tokens.json")
    before = os.umask(0)
    try:
        secret, token = tokens.new("owner", "laptop")
    finally:
        os.umask(before)
    assert stat.S_IMODE(tokens.path.stat().st_mode) == 0o600
    assert secret not in tokens.path.read_text()
    assert len(secret) >= 43
    assert [other.id for other in tokens.all()] == [token.id]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tokens.json"], "nothing is left beside it"


@pytest.mark.parametrize("mode", [0o604, 0o640, 0o660, 0o666, 0o610, 0o601, 0o602, 0o620])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    tokens = Tokens(tmp_path / "tokens.json")
    secret, _ = tokens.new("owner")
    tokens.path.chmod(mode)
    for call in (lambda: role_of(tokens, secret), tokens.all, lambda: tokens.new("reader")):
        with pytest.raises(InvalidInput, match=r"can be read by other users: make it private \(chmod 600\)"):
            call()


def test_a_file_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = Tokens(tmp_path / "tokens.json")
    secret, _ = tokens.new("owner")
    monkeypatch.setattr(os, "geteuid", lambda: tokens.path.stat().st_uid + 1)
    for call in (lambda: role_of(tokens, secret), tokens.all, lambda: tokens.new("reader")):
        with pytest.raises(InvalidInput, match="belongs to another user"):
            call()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"version": 2, "tokens": []}', '{"version": 1, "tokens": [{}]}'])
def test_a_file_of_something_else_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tokens.json"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(InvalidInput, match="is not a token file"):
        Tokens(path).all()


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    Tokens(tmp_path / "there.json").new("owner")
    (tmp_path / "tokens.json").symlink_to(tmp_path / "there.json")
    with pytest.raises(InvalidInput, match="cannot be read"):
        Tokens(tmp_path / "tokens.json").all()


@pytest.mark.parametrize(("make", "said"), [(os.mkdir, "Is a directory"), (os.mkfifo, "is not a regular file")])
def test_a_folder_or_a_pipe_is_refused_at_once(tmp_path: Path, make: Callable[..., None], said: str) -> None:
    make(tmp_path / "tokens.json", 0o600)
    with pytest.raises(InvalidInput, match=said):
        role_of(Tokens(tmp_path / "tokens.json"), "fm_")


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match=r"folder of '.*tokens\.json' cannot be used: Not a directory\."):
        Tokens(tmp_path / "file" / "tokens.json").new("owner", "a")


def test_tokens_end_when_they_are_revoked_or_expire(tmp_path: Path) -> None:
    tokens, other = Tokens(tmp_path / "tokens.json"), Tokens(tmp_path / "tokens.json")
    owner, kept = tokens.new("owner")
    reader, taken = tokens.new("reader")
    spent, _ = tokens.new("owner", days=0.0)
    assert [role_of(other, secret) for secret in (owner, reader)] == ["owner", "reader"]
    assert [role_of(other, secret) for secret in (spent, "", "fm_")] == [None, None, None]
    assert (tokens.revoke(taken.id), tokens.revoke(taken.id)) == (True, False)
    assert [role_of(other, secret) for secret in (owner, reader)] == ["owner", None]
    tokens.new("reader")
    assert spent not in [token.id for token in tokens.all()]
    assert len(tokens.all()) == 2, "what has expired is dropped"
    assert kept.id in [token.id for token in tokens.all()]


def test_tokens_of_pages_do_not_pile_up(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path / "tokens.json")
    own = [tokens.new("reader", label)[0] for label in ("wall", PAGE)]
    pages = [tokens.new_page_token() for _ in range(8)]
    assert [role_of(tokens, secret) for secret in pages] == [None] * 3 + ["owner"] * 5
    assert [role_of(tokens, secret) for secret in own] == ["reader", "reader"], "only those of pages end"
    assert len(tokens.all()) == 5 + 2


@pytest.mark.parametrize("days", [1e12, float("inf"), float("nan"), -1e12])
def test_days_that_no_calendar_has_are_refused(tmp_path: Path, days: float) -> None:
    with pytest.raises(InvalidInput, match=r"^days is .*: give a number of days that ends before the year 9999\.$"):
        Tokens(tmp_path / "tokens.json").new("owner", days=days)


@pytest.mark.parametrize("expires", ["never", "2020-01-01T00:00:00+14:00", "2020-01-01"])
def test_an_end_that_is_no_moment_is_refused_and_not_taken_for_never(tmp_path: Path, expires: str) -> None:
    tokens = Tokens(tmp_path / "tokens.json")
    secret, token = tokens.new("owner", days=1.0)
    assert token.expires is not None
    tokens.path.write_text(tokens.path.read_text().replace(token.expires, expires))
    with pytest.raises(InvalidInput, match="is not a token file"):
        role_of(tokens, secret)


def test_tokens_that_are_made_at_once_are_all_kept(tmp_path: Path) -> None:
    secrets: list[str] = []
    threads = [
        threading.Thread(target=lambda: secrets.append(Tokens(tmp_path / "tokens.json").new("reader")[0]))
        for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tokens = Tokens(tmp_path / "tokens.json")
    assert [role_of(tokens, secret) for secret in secrets] == ["reader"] * 16


def test_the_command_makes_lists_and_revokes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from firstmover.cli import app

    monkeypatch.chdir(tmp_path)
    assert "There are no tokens" in runner.invoke(app, ["token", "list"]).stdout
    secret = runner.invoke(app, ["token", "new", "--role", "reader", "--label", "wall"]).stdout.strip()
    tokens = Tokens("tokens.json")
    assert role_of(tokens, secret) == "reader"
    listed = runner.invoke(app, ["token", "list"]).stdout
    assert "wall" in listed
    assert secret not in listed
    assert "is revoked" in runner.invoke(app, ["token", "revoke", tokens.all()[0].id]).stdout
    assert role_of(tokens, secret) is None
    assert refused("token", "revoke", "nothing").startswith("There is no token 'nothing'")
    for days in ("0", "-3", "0.5"):
        assert refused("token", "new", "--role", "reader", "--days", days).startswith(f"days is {days}: give 1 or more")
    assert refused("token", "new", "--role", "king") == "Unknown role 'king': Known: operator, owner, reader."
    assert refused("serve", "--host", "0.0.0.0").startswith("host is '0.0.0.0', which can mean every interface")
    monkeypatch.setattr("firstmover.cli.serving.find_spec", lambda _: None)
    assert (
        refused("serve")
        == "The service needs fastapi, httptools and uvicorn: run pip install '.[web]' in a clone of firstmover."
    )
    assert refused("token", "new", "--role", "owner", "--tokens", "none/tokens.json").startswith("folder of")


@pytest.mark.parametrize(
    ("options", "left"),
    [([], []), (["--store", "kept.db"], ["kept.db", "tokens.json"]), (["--tokens", "own.json"], ["own.json"])],
)
def test_a_demonstration_leaves_nothing_behind_but_what_is_named(
    options: list[str], left: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from firstmover.cli import app

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("firstmover.service.demo.Demo", lambda *_: None)
    monkeypatch.setattr("firstmover.service.demo.write_example", lambda *_: None)
    monkeypatch.setattr("firstmover.service.socket.serve", lambda _app, _bound, ready: ready())
    result = runner.invoke(app, ["serve", "--demo", "--port", "0", *options])
    assert result.exit_code == 0
    assert "/#token=fm_" in result.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == left


def test_the_address_is_printed_only_when_the_service_listens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from firstmover.cli import app

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("firstmover.service.socket.serve", lambda _app, _bound, _ready: None)
    assert runner.invoke(app, ["serve", "--port", "0"]).stdout == ""
