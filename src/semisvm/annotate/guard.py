"""Access to the page: only the person to whom its address was printed, in one browser.

The address holds a token that is valid once. It is exchanged for a cookie that scripts cannot read and other sites
cannot send. Requests for another host name (a foreign name for this machine) or from other pages are refused.
"""

import secrets
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
ENTER = """<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/">
<link rel="icon" href="/page/icon.svg"><title>semisvm</title><p><a href="/">Go on</a></p></html>"""


class Guard:
    """Checks every request before the page sees it."""

    def __init__(self, app: ASGIApp, host: str):
        self._app, self._host = app, host
        self._token: str | None = secrets.token_urlsafe(32)
        self._pass = secrets.token_urlsafe(32)
        self._cookie = f"semisvm-{host.rpartition(':')[2]}"

    @property
    def address(self) -> str:
        """The address that opens the page, once."""
        return f"http://{self._host}/?token={self._token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        answer = self._refusal(scope) or self._entrance(scope) or self._app
        await answer(scope, receive, sealed)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if headers.getlist("host") != [self._host]:
            return _no(f"This page answers to {self._host} only.")
        origin = headers.get("origin")
        if scope["method"] not in ("GET", "POST"):
            return _no("Only GET and POST are answered.", 405)
        # browsers send the origin of every POST
        if origin != f"http://{self._host}" and (origin is not None or scope["method"] == "POST"):
            return _no("Requests from other pages are refused.")
        return None

    def _entrance(self, scope: Scope) -> Response | None:
        """A page that sets the cookie for the token, a refusal without token or cookie, None for a valid cookie."""
        if self._has_pass(Headers(scope=scope)):
            return None
        token = QueryParams(scope["query_string"]).get("token", "")
        if self._token is None or not secrets.compare_digest(token.encode(), self._token.encode()):
            used = " It was used already." if self._token is None and token else ""
            return _no(
                "This page opens by the address that was printed where it was started." + used + "\n"
                "To get a new one, end the program with Ctrl-C and start it again: nothing is lost."
            )
        self._token = None
        # a page that forwards, since a redirect from another site would come without the cookie
        entered = HTMLResponse(ENTER)
        entered.set_cookie(self._cookie, self._pass, httponly=True, samesite="strict", path="/")
        return entered

    def _has_pass(self, headers: Headers) -> bool:
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        given = cookies[self._cookie].value if self._cookie in cookies else ""
        return secrets.compare_digest(given.encode(), self._pass.encode())


def _no(why: str, status: int = 403) -> Response:
    return PlainTextResponse(f"{why}\n", status)
