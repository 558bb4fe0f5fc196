"""firstmover serve and firstmover token: the service, and who may use it."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from firstmover.cli.matches.shown import STORE, AsJson, Store, answer, table

TokenFile = Annotated[
    Path, typer.Option("--tokens", envvar="FIRSTMOVER_TOKENS", help="The file that tokens are kept in, hashed.")
]
TOKENS = Path("tokens.json")
PAGE_DAYS = 30.0
"""How long the token of a page lasts, so that a page left open finds its way back after a restart."""


def serve(  # noqa: PLR0917 - typer's commands have as many as there are options
    store: Store = STORE,
    runs: Annotated[Path, typer.Option(help="The folder of stored runs.")] = Path("results"),
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8642,
    tokens: TokenFile = TOKENS,
    beyond: Annotated[
        bool, typer.Option("--beyond-this-machine", help="Listen on an address that other machines can reach.")
    ] = False,
    name: Annotated[
        list[str] | None, typer.Option(help="Another HOST:PORT that the service is called by.", show_default=False)
    ] = None,
) -> None:
    """Start the web page and the HTTP service over live matches and stored runs."""
    from firstmover.errors import InvalidInput

    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        raise InvalidInput("The service needs fastapi and uvicorn: install firstmover[web].")
    from firstmover.server.app import create_app
    from firstmover.server.listening import address_of, checked_host, listener, names_for
    from firstmover.server.listening import serve as listen
    from firstmover.server.tokens import Tokens

    with listener(checked_host(host, beyond), port) as bound:
        known = Tokens(tokens)
        app = create_app(store, runs, known, names_for(bound, name or ()))
        secret, _ = known.new("owner", "page", PAGE_DAYS)
        typer.echo(f"Open {address_of(bound)}/#token={secret}")
        typer.echo("Stop with Ctrl+C; everything that was acknowledged is kept.")
        listen(app, bound)


token = typer.Typer(help="Say who may use the service.", no_args_is_help=True, add_completion=False)


@token.command("new")
def new(
    role: Annotated[str, typer.Option(help="owner plays; reader looks on, and sees no action before it is told.")],
    label: Annotated[str, typer.Option(help="A word to know it by.")] = "",
    days: Annotated[
        float | None, typer.Option(min=0.0, help="Days until it expires; never, if left out.", show_default=False)
    ] = None,
    tokens: TokenFile = TOKENS,
    as_json: AsJson = False,
) -> None:
    """Make a token; it is shown this once."""
    from firstmover.server.tokens import Tokens

    secret, made = Tokens(tokens).new(role, label, days)
    answer(as_json, {"token": secret, "id": made.id, "role": made.role, "expires": made.expires}, secret)


@token.command("list")
def list_tokens(tokens: TokenFile = TOKENS, as_json: AsJson = False) -> None:
    """List the tokens, without their secrets."""
    from firstmover.server.tokens import Tokens

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
    from firstmover.errors import InvalidInput
    from firstmover.server.tokens import Tokens

    if not Tokens(tokens).revoke(token_id):
        raise InvalidInput(f"There is no token {token_id!r}: firstmover token list shows those that there are.")
    answer(as_json, {"revoked": token_id}, f"Token {token_id} is revoked.")
