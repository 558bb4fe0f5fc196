"""Sessions of the web app: the token in a cookie that scripts cannot read, so that every tab of a browser has it."""

from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers
from starlette.responses import Response

PAGE_HEADER = "x-firstmover-page"
"""A header that the page sends with every call; pages of other sites cannot, since there is no CORS."""

PATH = "/v1"
SECONDS = 30 * 24 * 3600


def cookie_name(headers: Headers) -> str:
    """Return the name of the cookie, with the port: browsers share cookies among the ports of a host."""
    _, colon, port = headers.get("host", "").rpartition(":")
    return f"firstmover-{port}" if colon and port.isdigit() else "firstmover"


def session_secret(headers: Headers) -> str:
    """Return the secret in the cookie of a call by the page; empty if there is none."""
    if headers.getlist(PAGE_HEADER) != ["1"]:
        return ""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(cookie_name(headers))
    except CookieError:
        return ""
    return "" if found is None else found.value


def begin_session(response: Response, headers: Headers, secret: str) -> None:
    """Let the browser keep a secret; `secure` where the page came by HTTPS, through a proxy."""
    response.set_cookie(
        cookie_name(headers),
        secret,
        max_age=SECONDS,
        path=PATH,
        secure=headers.get("origin", "").startswith("https://"),
        httponly=True,
        samesite="strict",
    )


def end_session(response: Response, headers: Headers) -> None:
    """Let the browser forget the secret."""
    response.delete_cookie(cookie_name(headers), path=PATH, httponly=True, samesite="strict")
