"""firstmover serve and firstmover token: the service, and who may use it."""

from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from firstmover.cli.matches.options import STORE, AsJson, Store, answer, table

if TYPE_CHECKING:
    from firstmover.service.demo import Demo

TokenFile = Annotated[
    Path, typer.Option("--tokens", envvar="FIRSTMOVER_TOKENS", help="The file that tokens are kept in, hashed.")
]
TOKENS = Path("tokens.json")
RUNS = Path("results")
PAGE_DAYS = 30.0
"""How long the token of a page lasts, so that a page left open finds its way back after a restart."""


def serve(  # noqa: PLR0917 - typer's commands have as many as there are options
    store: Store = STORE,
    runs: Annotated[Path, typer.Option(help="The folder of stored runs.")] = RUNS,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8642,
    tokens: TokenFile = TOKENS,
    beyond: Annotated[
        bool, typer.Option("--beyond-this-machine", help="Listen on an address that other machines can reach.")
    ] = False,
    name: Annotated[
        list[str] | None,
        typer.Option(help="Another HOST or HOST:PORT that browsers call the service by.", show_default=False),
    ] = None,
    demo: Annotated[
        bool,
        typer.Option("--demo", help="Three matches against simulated opponents; forgotten, unless --store is given."),
    ] = False,
) -> None:
    """Start the web page and the HTTP service over live matches and stored runs."""
    from firstmover.core.errors import InvalidInput, installing

    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        raise InvalidInput(f"The service needs fastapi and uvicorn: {installing('web')}.")
    from firstmover.service.app import create_app
    from firstmover.service.socket import address_of, checked_host, listener, names_for
    from firstmover.service.socket import serve as listen
    from firstmover.service.tokens import Tokens

    with ExitStack() as stack:
        bound = stack.enter_context(listener(checked_host(host, beyond), port))
        shown = None
        if demo:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="firstmover-")))
            tokens = folder / TOKENS if (store, tokens) == (STORE, TOKENS) else tokens
            store, runs = str(folder / STORE) if store == STORE else store, folder / RUNS if runs == RUNS else runs
            shown = _demonstration(store, runs)
        known = Tokens(tokens)
        app = create_app(store, runs, known, names_for(bound, name or ()), shown)
        secret, _ = known.new("owner", "page", PAGE_DAYS)
        typer.echo(f"Open {address_of(bound)}/#token={secret}")
        typer.echo("Stop with Ctrl+C; everything that was acknowledged is kept.")
        listen(app, bound)


def _demonstration(store: str, runs: Path) -> "Demo":
    """Simulated opponents, with a first few rounds played and runs to compare."""
    from firstmover.service.demo import Demo, write_example

    typer.echo("Preparing three matches against simulated opponents …", err=True)
    write_example(runs)
    return Demo(store)


token = typer.Typer(help="Say who may use the service.", no_args_is_help=True, add_completion=False)


@token.command("new")
def new(
    role: Annotated[str, typer.Option(help="owner plays; reader looks on, and sees no action before it is told.")],
    label: Annotated[str, typer.Option(help="A word to know it by.")] = "",
    days: Annotated[
        float | None, typer.Option(help="Days until it expires, 1 or more; never, if left out.", show_default=False)
    ] = None,
    tokens: TokenFile = TOKENS,
    as_json: AsJson = False,
) -> None:
    """Make a token; it is shown this once."""
    from firstmover.core.errors import InvalidInput
    from firstmover.service.tokens import Tokens

    if days is not None and days < 1:
        raise InvalidInput(f"days is {days:g}: give 1 or more, or leave it out for a token that never expires.")
    secret, made = Tokens(tokens).new(role, label, days)
    answer(as_json, {"token": secret, "id": made.id, "role": made.role, "expires": made.expires}, secret)


@token.command("list")
def list_tokens(tokens: TokenFile = TOKENS, as_json: AsJson = False) -> None:
    """List the tokens, without their secrets."""
    from firstmover.service.tokens import Tokens

    rows = [
        {"id": each.id, "role": each.role, "label": each.label, "created": each.created, "expires": each.expires}
        for each in Tokens(tokens).all()
    ]
    answer(
        as_json, {"tokens": rows}, table(rows) if rows else "There are no tokens: make one with firstmover token new."
    )


@token.command("revoke")
def revoke(
    token_id: Annotated[str, typer.Argument(metavar="ID", help="The id that firstmover token list shows.")],
    tokens: TokenFile = TOKENS,
    as_json: AsJson = False,
) -> None:
    """Take a token back, at once."""
    from firstmover.core.errors import InvalidInput
    from firstmover.service.tokens import Tokens

    if not Tokens(tokens).revoke(token_id):
        raise InvalidInput(f"There is no token {token_id!r}: firstmover token list shows those that there are.")
    answer(as_json, {"revoked": token_id}, f"Token {token_id} is revoked.")
