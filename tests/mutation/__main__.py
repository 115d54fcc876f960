"""Draw mutants, run their tests, and tell which survived."""

import argparse
import contextlib
import hashlib
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import semisvm
from tests.mutation.mutating import Site, sites

ROOT = Path(__file__).parent.parent.parent
PACKAGE = Path(semisvm.__file__).parent
TESTS = {
    "losses": ["tests/losses"],
    "spaces": ["tests/spaces", "tests/objective"],
    "objective": ["tests/objective", "tests/spaces", "tests/optim"],
    "optim": ["tests/optim", "tests/_core"],
    "algorithms": ["tests/algorithms"],
}
ALWAYS = "tests/test_equivalence.py"
SECONDS = 60
"""Of processor time."""
PATIENCE = 10
"""A mutant may take this many times its processor time on the wall: the machine may be busy."""
ENOUGH = 0.9


def every_site() -> list[Site]:
    found = []
    for layer in TESTS:
        for path in sorted((PACKAGE / layer).rglob("*.py")):
            if path.name != "__init__.py":
                module = ".".join(["semisvm", *path.relative_to(PACKAGE).with_suffix("").parts])
                found += sites(module, path.read_text(encoding="utf-8"))
    return found


def files_for(module: str) -> list[str]:
    """The test files of its folder that are named after the module or name something which it defines, and the
    equivalence tests."""
    path = PACKAGE.parent / Path(*module.split(".")).with_suffix(".py")
    defined = re.findall(r"^(?:class|def) ([A-Za-z]\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    names = re.compile(r"\b(" + "|".join([path.stem, *defined]) + r")\b")
    files = _files_of_folder(module)
    chosen = [one for one in files if one.stem == f"test_{path.stem}" or names.search(one.read_text(encoding="utf-8"))]
    contracts = [one for one in files if one.name.endswith("contract.py") or one.name == "test_problem.py"]
    return [str(one.relative_to(ROOT)) for one in dict.fromkeys([*chosen, *contracts] or files)] + [ALWAYS]


def other_files(module: str) -> list[str]:
    """The other test files of its folder, which a survivor has to pass too."""
    chosen = files_for(module)
    files = (str(one.relative_to(ROOT)) for one in _files_of_folder(module))
    return [name for name in files if name not in chosen]


def _files_of_folder(module: str) -> list[Path]:
    return [file for place in TESTS[module.split(".")[1]] for file in sorted((ROOT / place).glob("test_*.py"))]


def outcome_of(site: Site) -> str:
    """killed, survived, or undecided where the minute was over before a test failed.

    The tests that name something of the module have a minute, and then all others of the folder another one.
    """
    outcome = _run(site, files_for(site.module))
    others = other_files(site.module)
    if outcome != "survived" or not others:
        return outcome
    return "killed" if _run(site, others) == "killed" else "survived"


def _run(site: Site, files: list[str]) -> str:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "tests.mutation.plugin"]
    environment = os.environ | {"MUTANT": f"{site.module}:{site.place}", "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            [*command, *files], cwd=ROOT, env=environment, capture_output=True,
            timeout=PATIENCE * SECONDS, preexec_fn=_limited,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "undecided"
    if done.returncode == -signal.SIGXCPU:
        return "undecided"
    return "survived" if done.returncode == 0 else "killed"


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, resource.RLIM_INFINITY))


def recorded(path: Path) -> dict[str, str]:
    """What became of mutants in earlier runs, by their key; a line that was cut off is left out."""
    outcomes: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        with contextlib.suppress(json.JSONDecodeError):
            outcomes |= json.loads(line)
    return outcomes


def key_of(site: Site) -> str:
    """The mutant, and a digest of its module and its tests: where one of them changes, it is run again."""
    texts = [Path(PACKAGE.parent, *site.module.split(".")).with_suffix(".py")]
    texts += [ROOT / name for name in files_for(site.module)]
    digest = hashlib.sha256(b"".join(text.read_bytes() for text in texts)).hexdigest()[:12]
    return f"{site.name} @{site.place} {digest}"


def main() -> int:
    arguments = argparse.ArgumentParser(prog="python -m tests.mutation")
    arguments.add_argument("--count", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--minutes", type=float, default=120.0)
    arguments.add_argument(
        "--record", type=Path, default=ROOT / "build" / "mutants.jsonl", help="what is known already"
    )
    wanted = arguments.parse_args()
    wanted.record.parent.mkdir(parents=True, exist_ok=True)
    known = recorded(wanted.record)
    reasons = tomllib.loads((Path(__file__).parent / "equivalent.toml").read_text(encoding="utf-8"))
    found = every_site()
    drawn = random.Random(wanted.seed).sample(found, min(wanted.count, len(found)))
    end = time.monotonic() + 60 * wanted.minutes
    counts = {"killed": 0, "survived": 0, "equivalent": 0, "undecided": 0}
    for site in drawn:
        if time.monotonic() > end:
            break
        key = key_of(site)
        shown = known.get(key) or outcome_of(site)
        if key not in known:
            with wanted.record.open("a", encoding="utf-8") as out:
                print(json.dumps({key: shown}), file=out)
        if shown == "survived" and site.name in reasons:
            shown = "equivalent"
        counts[shown] += 1
        print(f"{shown}\t{site.module}:{site.line}\t{site.change}\t{site.source}", flush=True)
    judged = counts["killed"] + counts["survived"]
    share = counts["killed"] / max(1, judged)
    shown = ", ".join(f"{count} {what}" for what, count in counts.items())
    print(f"{len(found):,} places, {sum(counts.values())} mutants: {shown} (no failure in {SECONDS} s).")
    print(f"{share:.0%} of those that are no equivalents were killed, at least {ENOUGH:.0%} are wanted.")
    return 0 if share >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main())
