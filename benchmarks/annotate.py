"""`semisvm annotate` with answers that are always right: suggested rows against random ones, when it says stop, how
quickly keys are answered.

    python -m benchmarks.annotate [TABLES] [--seeds N]    simulated answers; goes on where it was stopped
    python -m benchmarks.annotate --keys                  the page in Chromium, on large tables, while it learns
    python -m benchmarks.annotate --show                  the tables of what was recorded

A run asks 200 rows of a table that begins without a label, with a fit after every tenth answer. Records go to
benchmarks/records/annotate.jsonl, a line for each run.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.annotate_keys import keys, keys_table
from benchmarks.harness.machine import commit

if TYPE_CHECKING:
    import pandas as pd

    from semisvm.annotate.messages import LearningTask
    from semisvm.annotate.session import Session

RECORDS = Path(__file__).parent / "records" / "annotate.jsonl"
LABELS, EVERY, ROWS = 200, 10, 1000
SHOWN = (50, 100, 200)
"""Labels after which errors are shown."""
NEAR = 0.02
"""An error that is so little above that at the end is near it."""
CHOSEN_ON = ("digits", "heart", "credit", "breast cancer", "vehicle")
"""Tables on which the numbers of the rule of stopping were chosen."""
Table = tuple["pd.DataFrame", np.ndarray]


# ---------------------------------------------------------------- tables


def _of_scikit_learn(name: str) -> Table:
    import sklearn.datasets

    held = getattr(sklearn.datasets, name)(as_frame=True)
    return _some(held.frame.drop(columns="target"), held.target.to_numpy().astype(str))


def _of_uci(name: str) -> Table:
    import pandas as pd

    from semisvm.datasets import load_uci

    held = load_uci(name)
    return _some(pd.DataFrame(held.X).add_prefix("x"), np.asarray(held.classes)[held.y].astype(str))


def _of_texts(name: str) -> Table:
    import pandas as pd

    import semisvm.datasets

    held = getattr(semisvm.datasets, name)(features="text")
    return _some(pd.DataFrame({"text": np.asarray(held.X, dtype=object)}), np.asarray(held.classes)[held.y].astype(str))


def _some(frame: pd.DataFrame, y: np.ndarray) -> Table:
    rows = np.sort(np.random.default_rng(0).permutation(len(y))[:ROWS])
    return frame.iloc[rows].reset_index(drop=True), y[rows]


TABLES: dict[str, Callable[[], Table]] = {
    "digits": lambda: _of_scikit_learn("load_digits"),
    "breast cancer": lambda: _of_scikit_learn("load_breast_cancer"),
    "wine": lambda: _of_scikit_learn("load_wine"),
    "credit": lambda: _of_uci("australian"),
    "heart": lambda: _of_uci("heart_statlog"),
    "vehicle": lambda: _of_uci("vehicle"),
    "satellite": lambda: _of_uci("satimage"),
    "pen digits": lambda: _of_uci("pendigits"),
    "web pages": lambda: _of_texts("load_webkb"),
    "questions": lambda: _of_texts("load_trec"),
}


# ---------------------------------------------------------------- simulated answers


class NobodyLearns:
    """Takes tasks and leaves them: the simulation says when a fit is made."""

    def give(self, task: LearningTask) -> None:
        pass


def simulate(name: str, way: str, seed: int) -> dict[str, Any]:
    """One run: the error after each fit, and what was known then."""
    from semisvm.annotate.decisions import Decisions
    from semisvm.annotate.learning import Workbench
    from semisvm.annotate.request import AnnotateRequest
    from semisvm.annotate.session import Session
    from semisvm.annotate.sheet import read_sheet

    frame, truth = TABLES[name]()
    with tempfile.TemporaryDirectory() as place:
        request = AnnotateRequest(Path(place) / "table.csv", "label", new=True)
        frame.to_csv(request.table, index=False)
        sheet = read_sheet(request)
        session = Session(sheet, Decisions(request.decisions, request.table, "label", sheet.fingerprint))
        bench = Workbench(sheet.frame, request, seed)
        session.learn_with(NobodyLearns())
        session.asking.seed += seed
        session.question = session.asking.next(session.labels)
        session.receive(bench.ready())
        if way == "random":
            session.asking.spread = []
        points: list[dict[str, Any]] = []
        failed: list[str] = []
        while session.question is not None and len(session.labels.known) < LABELS:
            session.answer(session.question.row, str(truth[session.question.row]))
            n = len(session.labels.known)
            # who draws rows at random needs no model until its error is shown
            shown = n in SHOWN or n + EVERY > min(LABELS, len(truth))
            if n % EVERY or (way == "random" and not shown) or len(np.unique(session.task().codes)) < 2:
                continue
            try:
                session.receive(bench.learn(session.task()))
            except ValueError as why:  # as in the page: the next labels are tried
                failed.append(f"{n} labels: {why}")
                continue
            points.append(_point(session, truth))
            if way == "random":
                session.asking.suggested = []
        session.decisions.close()
    return {"table": name, "way": way, "seed": seed, "points": points, "failed": failed}


def _point(session: Session, truth: np.ndarray) -> dict[str, Any]:
    """What is true and what is known after a fit."""
    open_rows = session.labels.open
    guesses = np.array([*session.labels.classes, ""])[session.guesses()]
    estimate, point = session.estimate, session.points[-1]
    return {
        "n": point.n_labels, "error": float(np.mean((guesses != truth)[open_rows])),
        "gain": point.gain, "answered": point.answered, "unsettled": point.unsettled,
        "expected": None if estimate is None else [estimate.error, estimate.low, estimate.high],
    }  # fmt: skip


def said_stop(run: dict[str, Any]) -> int | None:
    """After how many labels it said that more no longer change the result, by the rule of today."""
    from semisvm.annotate.evidence import Estimate
    from semisvm.annotate.stopping import CurvePoint, settled

    points: list[CurvePoint] = []
    for one in run["points"]:
        estimate = None if one["expected"] is None else Estimate(*one["expected"], n=0)
        points.append(CurvePoint(one["n"], 0.0, one["gain"], one["answered"], estimate, one["unsettled"]))
        if settled(points):
            return one["n"]
    return None


def recorded() -> list[dict[str, Any]]:
    if not RECORDS.exists():
        return []
    return [json.loads(line) for line in RECORDS.read_text(encoding="utf-8").splitlines()]


def keep(record: dict[str, Any]) -> None:
    with open(RECORDS, "a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


# ---------------------------------------------------------------- what was found


def results_table(records: list[dict[str, Any]]) -> str:
    """Errors in percent at 50, 100 and 200 labels, suggested and random, and where it said stop."""
    lines = [
        "| table | runs | error at 50 | at 100 | at 200 | random at 50 | at 100 | at 200 | said stop after | "
        "error then, above 200 | interval holds |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    runs = [one for one in records if "table" in one]
    for name in dict.fromkeys(one["table"] for one in runs):
        ours = [one for one in runs if one["table"] == name and one["way"] == "suggested"]
        theirs = [one for one in runs if one["table"] == name and one["way"] == "random"]
        above = [_above_the_end(one) for one in ours]
        holds = [
            _whole(point["expected"][1]) <= _whole(point["error"]) <= _whole(point["expected"][2])
            for one in ours
            for point in one["points"]
            if point["expected"] is not None
        ]
        cells = [
            name, str(len(ours)),
            *(_percent([_error(one, n) for one in ours]) for n in SHOWN),
            *(_percent([_error(one, n) for one in theirs]) for n in SHOWN),
            ", ".join(str(said_stop(one) or "-") for one in ours),
            ", ".join("-" if one is None else f"{100 * one:+.1f}" for one in above),
            f"{np.mean(holds):.0%}" if holds else "",
        ]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    suggested = [one for one in runs if one["way"] == "suggested"]
    lines += ["", f"All tables: {_stops(suggested)}"]
    lines.append(f"Tables that no number of the rule was chosen on: {_stops(_apart(suggested))}")
    pressed = [one for one in records if "keys" in one]
    if pressed:
        lines += ["", *keys_table(pressed)]
    return "\n".join(lines)


def _stops(runs: list[dict[str, Any]]) -> str:
    """How often and when it said stop, and how often that was right."""
    stops = [n for one in runs if (n := said_stop(one)) is not None]
    if not stops:
        return f"it said stop in none of {len(runs)} runs."
    right = sum(above <= NEAR for one in runs if (above := _above_the_end(one)) is not None)
    return (
        f"it said stop in {len(stops)} of {len(runs)} runs, after {np.median(stops):.0f} labels in the median. In "
        f"{right} of these {len(stops)} the error was at most 2 points above that at 200 labels."
    )


def _apart(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for one in runs if one["table"] not in CHOSEN_ON]


def _above_the_end(run: dict[str, Any]) -> float | None:
    """The error where it said stop less the error at the end."""
    n = said_stop(run)
    return None if n is None else _error(run, n) - run["points"][-1]["error"]


def _whole(share: float) -> int:
    """Percent, as the page shows it."""
    return round(100 * share)


def _error(run: dict[str, Any], n: int) -> float:
    """After n labels, or at the end of a shorter table."""
    return next((point["error"] for point in run["points"] if point["n"] >= n), run["points"][-1]["error"])


def _percent(errors: list[float]) -> str:
    return f"{100 * np.mean(errors):.1f}" if errors else ""


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("tables", nargs="*", default=[], help=f"of {', '.join(TABLES)}; all by default")
    words.add_argument("--seeds", type=int, default=5)
    words.add_argument("--keys", action="store_true")
    words.add_argument("--show", action="store_true")
    given = words.parse_args()
    if given.keys:
        for record in keys():
            keep({**record, "commit": commit()})
            print(json.dumps(record), flush=True)
    elif not given.show:
        taken = commit()
        done = {(one["table"], one["way"], one["seed"]) for one in recorded() if "table" in one}
        for seed in range(given.seeds):
            for name in given.tables or TABLES:
                for way in ("suggested", "random"):
                    if (name, way, seed) not in done:
                        began = time.monotonic()
                        keep({**simulate(name, way, seed), "commit": taken})
                        print(f"{name}, {way} rows, seed {seed}: {time.monotonic() - began:.0f} s", flush=True)
    print(results_table(recorded()))


if __name__ == "__main__":
    main()
