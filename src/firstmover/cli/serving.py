"""firstmover serve and firstmover token: the service and its tokens."""

from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from firstmover.cli.matches.options import STORE, AsJson, Store, answer, table

TokenFile = Annotated[
    Path, typer.Option("--tokens", envvar="FIRSTMOVER_TOKENS", help="The file of tokens, which are stored hashed.")
]
TOKENS = Path("tokens.json")
RUNS = Path("results")


def serve(  # noqa: PLR0917 - a command has as many arguments as options
    store: Store = STORE,
    runs: Annotated[Path, typer.Option(help="The folder of stored runs.")] = RUNS,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 selects a free one.")] = 8642,
    tokens: TokenFile = TOKENS,
    beyond: Annotated[
        bool, typer.Option("--beyond-this-machine", help="Allow an address other than loopback.")
    ] = False,
    name: Annotated[
        list[str] | None,
        typer.Option(
            help="A further HOST or HOST:PORT that requests may use, such as that of a proxy.", show_default=False
        ),
    ] = None,
    webhook: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Post events of matches to this address, signed.", show_default=False),
    ] = None,
    webhook_secret: Annotated[
        Path | None,
        typer.Option(
            help="The file with the secret that signs the posts, of 16 characters or more.", show_default=False
        ),
    ] = None,
    demo: Annotated[
        bool,
        typer.Option("--demo", help="Start with simulated opponents; matches are temporary unless --store is given."),
    ] = False,
) -> None:
    """Start the web app and the HTTP API for live matches and stored runs."""
    from firstmover.core.errors import InvalidInput, installing

    if any(find_spec(module) is None for module in ("fastapi", "httptools", "uvicorn")):
        raise InvalidInput(f"The service needs fastapi, httptools and uvicorn: {installing('web')}.")
    from firstmover.service.app import create_app
    from firstmover.service.socket import address_of, checked_host, listener, names_for
    from firstmover.service.socket import serve as listen
    from firstmover.service.tokens import Tokens

    posts = None
    if webhook is not None or webhook_secret is not None:
        if webhook is None or webhook_secret is None:
            raise InvalidInput("--webhook and --webhook-secret belong together: give both, or neither.")
        from firstmover.service.webhook import Webhook, read_secret

        posts = Webhook(webhook, read_secret(webhook_secret))
    with ExitStack() as stack:
        bound = stack.enter_context(listener(checked_host(host, beyond), port))
        opponents = None
        if demo:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="firstmover-")))
            tokens = folder / TOKENS if (store, tokens) == (STORE, TOKENS) else tokens
            store = str(folder / STORE) if store == STORE else store
            runs = folder / RUNS if runs == RUNS else runs
            from firstmover.service.demo import Demo, write_example

            typer.echo("Preparing matches against simulated opponents …", err=True)
            write_example(runs)
            opponents = Demo(store)
        known = Tokens(tokens)
        app = create_app(store, runs, known, names_for(bound, name or ()), opponents, posts)
        secret = known.new_page_token()

        def ready() -> None:
            typer.echo(f"Open {address_of(bound)}/#token={secret}")
            typer.echo("Stop with Ctrl+C; everything that was acknowledged is kept.")

        listen(app, bound, ready)


token = typer.Typer(help="Manage the tokens of the service.", no_args_is_help=True, add_completion=False)


@token.command("new")
def new(
    role: Annotated[str, typer.Option(help="owner (may change matches) or reader (read-only).")],
    label: Annotated[str, typer.Option(help="A name for the token.")] = "",
    days: Annotated[
        float | None, typer.Option(help="Days until it expires, 1 or more; default: never.", show_default=False)
    ] = None,
    tokens: TokenFile = TOKENS,
    as_json: AsJson = False,
) -> None:
    """Create a token; it is shown only once."""
    from firstmover.core.errors import InvalidInput
    from firstmover.service.tokens import Tokens

    if days is not None and days < 1:
        raise InvalidInput(f"days is {days:g}: give 1 or more, or leave it out for a token that never expires.")
    secret, made = Tokens(tokens).new(role, label, days)
    answer(as_json, {"token": secret, "id": made.id, "role": made.role, "expires": made.expires}, secret)


@token.command("list")
def list_tokens(tokens: TokenFile = TOKENS, as_json: AsJson = False) -> None:
    """List the tokens without their secrets."""
    from firstmover.service.tokens import Tokens

    rows = [each.model_dump(exclude={"hash"}) for each in Tokens(tokens).all()]
    answer(
        as_json, {"tokens": rows}, table(rows) if rows else "There are no tokens: make one with firstmover token new."
    )


@token.command("revoke")
def revoke(
    token_id: Annotated[str, typer.Argument(metavar="ID", help="The id that firstmover token list shows.")],
    tokens: TokenFile = TOKENS,
    as_json: AsJson = False,
) -> None:
    """Revoke a token at once."""
    from firstmover.core.errors import InvalidInput
    from firstmover.service.tokens import Tokens

    if not Tokens(tokens).revoke(token_id):
        raise InvalidInput(f"There is no token {token_id!r}: firstmover token list shows all tokens.")
    answer(as_json, {"revoked": token_id}, f"Token {token_id} is revoked.")
