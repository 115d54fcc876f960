"""Run the page of a request until Ctrl-C."""

import os
import socket
import sys
import webbrowser
from collections.abc import Callable

from semisvm.annotate.decisions import Decisions
from semisvm.annotate.lock import Lock
from semisvm.annotate.request import AnnotateRequest
from semisvm.annotate.sheet import read_sheet

HOST = "127.0.0.1"


def run(request: AnnotateRequest, port: int = 0, *, show: bool = True, say: Callable[[str], None] = print) -> None:
    """Serve the page until Ctrl-C. All errors of the request are raised before that."""
    request.check_places()
    lock = Lock(request.lock, request.table)
    try:
        with listening(port) as line:
            _serve(request, line, show=show, say=say)
    finally:
        lock.release()


def listening(port: int) -> socket.socket:
    """A socket that only this machine can reach."""
    # asyncio sends without delay only where the protocol is named. Without it, the body of an answer waits 40 ms for
    # the browser to acknowledge its head.
    line = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name != "nt":  # on other systems it would let two programs have one port
        line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        line.bind((HOST, port))
    except (OSError, OverflowError) as error:
        line.close()
        why = getattr(error, "strerror", None) or "not a port"
        raise OSError(f"Port {port} cannot be used ({why}): name another one, or none to get a free one.") from error
    return line


def _serve(request: AnnotateRequest, line: socket.socket, *, show: bool, say: Callable[[str], None]) -> None:
    import uvicorn

    from semisvm.annotate.child import LearningProcess
    from semisvm.annotate.guard import Guard
    from semisvm.annotate.server import Server
    from semisvm.annotate.session import Session

    sheet = read_sheet(request)
    decisions = Decisions(request.decisions, request.table, request.label, sheet.fingerprint)
    session = Session(sheet, decisions)
    app = Server(session, lambda receive: LearningProcess(request, receive)).application()
    guard = Guard(app, f"{HOST}:{line.getsockname()[1]}")
    line.listen(64)
    n_classes = len(session.labels.classes)
    say(f"{request.table}: {len(sheet):,} rows, {len(session.labels.known):,} labels of {n_classes} classes")
    if decisions.standing:
        say(f"resumed from {decisions.path}: {len(decisions.standing):,} decisions")
    say(f"open {guard.address}")
    say(f"Ctrl-C ends; every decision is kept in {decisions.path}")
    sys.stdout.flush()
    if show and has_display():
        webbrowser.open(guard.address)
    config = uvicorn.Config(
        guard, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=2
    )
    try:
        uvicorn.Server(config).run(sockets=[line])
    except KeyboardInterrupt:
        say(f"ended; {len(decisions.standing):,} decisions are kept in {decisions.path}")
    finally:
        decisions.close()


def has_display() -> bool:
    """Whether a browser has a display. Without one, some take over the terminal."""
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
