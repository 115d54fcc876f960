"""The reference of the command line, read from its parser."""

from pathlib import Path
from typing import Any

import typer.main
from typer.core import TyperGroup

from semisvm.cli import application
from site_pages.written import write_if_new


def write(path: Path) -> None:
    """Write the page."""
    root = typer.main.get_command(application())
    write_if_new(path, "\n".join(page(root)))


def page(root: Any) -> list[str]:
    """The page, line by line."""
    lines = [
        "# Reference of the command line",
        "",
        "Made of the program itself: every command, argument and option.",
        "",
    ]
    for name, command in root.commands.items():
        lines += section(f"semisvm {name}", command)
    return lines


def section(title: str, command: Any) -> list[str]:
    """A command, or the commands below it."""
    if isinstance(command, TyperGroup):
        return [line for name, one in command.commands.items() for line in section(f"{title} {name}", one)]
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option" and one.name != "help"]
    call = " ".join([title, *(_argument(one) for one in arguments), *(_needed(one) for one in options if one.required)])
    lines = [
        f"## {title}",
        "",
        (command.help or "").strip(),
        "",
        "```",
        f"{call} [options]" if options else call,
        "```",
        "",
    ]
    if arguments or options:
        lines += ["| argument or option | meaning |", "|---|---|"]
        lines += [f"| `{_argument(one)}` | {_cell(one.help)} |" for one in arguments]
        lines += [f"| `{_spelled(one)}` | {_cell(one.help)}{_default(one)} |" for one in options]
        lines.append("")
    return lines


def _argument(one: Any) -> str:
    name = one.name.upper() + ("..." if one.nargs == -1 else "")
    return name if one.required else f"[{name}]"


def _needed(one: Any) -> str:
    return f"{one.opts[0]} {one.name.upper()}"


def _spelled(one: Any) -> str:
    name = max(one.opts, key=len)
    return name if one.is_flag else f"{name} {one.name.upper()}"


def _default(one: Any) -> str:
    if one.is_flag or one.required or one.default in (None, [], ()):
        return ""
    return f" Default: `{one.default}`."


def _cell(text: str | None) -> str:
    return (text or "").replace("|", "\\|").strip()
