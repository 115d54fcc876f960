"""Draw mutants, run their tests, and tell which survived."""

import argparse
import os
import random
import re
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
    """The test files of its folder that name something which the module defines, and the equivalence tests."""
    path = PACKAGE.parent / Path(*module.split(".")).with_suffix(".py")
    defined = re.findall(r"^(?:class|def) ([A-Za-z]\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    names = re.compile(r"\b(" + "|".join([path.stem, *defined]) + r")\b")
    files = [ROOT / place for place in TESTS[module.split(".")[1]]]
    files = [one for place in files for one in ([place] if place.is_file() else sorted(place.glob("test_*.py")))]
    chosen = [one for one in files if names.search(one.read_text(encoding="utf-8"))]
    contracts = [one for one in files if one.name.endswith("contract.py") or one.name == "test_problem.py"]
    return [str(one.relative_to(ROOT)) for one in dict.fromkeys([*chosen, *contracts] or files)] + [ALWAYS]


def survives(site: Site) -> bool | None:
    """Whether all tests pass; None where the minute was over before one failed."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "tests.mutation.plugin"]
    environment = os.environ | {"MUTANT": f"{site.module}:{site.place}", "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            [*command, *files_for(site.module)], cwd=ROOT, env=environment, capture_output=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return None
    return done.returncode == 0


def main() -> int:
    arguments = argparse.ArgumentParser(prog="python -m tests.mutation")
    arguments.add_argument("--count", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--minutes", type=float, default=120.0)
    wanted = arguments.parse_args()
    reasons = tomllib.loads((Path(__file__).parent / "equivalent.toml").read_text(encoding="utf-8"))
    found = every_site()
    drawn = random.Random(wanted.seed).sample(found, min(wanted.count, len(found)))
    end = time.monotonic() + 60 * wanted.minutes
    counts = {"killed": 0, "survived": 0, "equivalent": 0, "undecided": 0}
    for site in drawn:
        if time.monotonic() > end:
            break
        outcome = survives(site)
        shown = "killed" if outcome is False else "undecided" if outcome is None else "survived"
        if shown == "survived" and site.name in reasons:
            shown = "equivalent"
        counts[shown] += 1
        print(f"{shown}\t{site.module}:{site.line}\t{site.change}\t{site.source}", flush=True)
    judged = counts["killed"] + counts["survived"]
    share = counts["killed"] / max(1, judged)
    shown = ", ".join(f"{count} {what}" for what, count in counts.items())
    print(f"{len(found):,} places, {sum(counts.values())} mutants: {shown} (no failure within {SECONDS} s).")
    print(f"{share:.0%} of those that are no equivalents were killed, at least {ENOUGH:.0%} are wanted.")
    return 0 if share >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main())
