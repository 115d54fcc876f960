"""The combinatorial S3VMs in units of one supervised fit, all measured in this run, in CPU seconds of one thread.

Branch and bound, certified: 2moons (200 rows) in SVC fits of that size, and the thirty problems of Coil3 (ten splits,
three cars each against the rest). Label switching and gradient annealing, linear on sparse text, in LinearSVC fits with
all labels; label switching with an RBF kernel on Gaussians, in SVC fits with all labels.

Run `python -m benchmarks.combinatorial [moons] [coil3] [text] [rbf] [g50c]`; without names all but coil3, which takes
minutes and goes on where the file of records (coil3.jsonl, in the present directory) ends.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from benchmarks.stopwatch import threads
from semisvm import AnnealingS3VM, BranchAndBoundS3VM, LabelSwitchingS3VM, s3vm_objective
from semisvm.datasets import hide_labels, labeled_splits, load_coil3, load_g50c, load_text, make_g50c, make_two_moons


def errors(model, y: np.ndarray, hidden: np.ndarray) -> float:
    """Percent of the unlabeled rows."""
    return 100 * float(np.mean(model.transduction_[hidden] != y[hidden]))


def moons() -> None:
    """At most 400 SVC fits, no error, all certified."""
    for seed in range(3):
        print(f"2moons, seed {seed}: {moons_draw(seed)}", flush=True)


def moons_draw(seed: int) -> str:
    X, y = make_two_moons(random_state=seed)
    partial = hide_labels(y, [0, 1])
    exact = BranchAndBoundS3VM(gamma=2.0, C=10.0, C_unlabeled="equal", ratio=0.5)
    supervised = SVC(C=10.0, gamma=2.0)
    ratio = in_fits(lambda: exact.fit(X, partial), lambda: supervised.fit(X, y), repeats=9)
    return (
        f"{ratio:.1f} SVC fits (limit 400), {exact.n_nodes_} nodes, optimum {exact.objective_[0]:.4f}, "
        f"optimal {exact.optimal_}, error {errors(exact, y, partial < 0):.1f} %"
    )


def in_fits(ours: Callable[[], object], theirs: Callable[[], object], repeats: int) -> float:
    """Our CPU seconds over theirs, medians of repeats in turns; run with one thread."""
    seconds = [(cpu_seconds(ours), cpu_seconds(theirs)) for _ in range(repeats)]
    mine, other = np.median(seconds, axis=0)
    return mine / other


def coil3(records: Path, n_splits: int = 10, fits: float = 1e4) -> None:
    """No error in all problems, 27 of 30 certified within 10^4 SVC fits each.

    Splits are seeds 0 to 9 of `labeled_splits`. Problems that the file of records already holds are not run again.
    """
    data = load_coil3()
    done = [json.loads(line) for line in records.read_text().splitlines()] if records.exists() else []
    for seed in range(n_splits):
        (rows,) = labeled_splits(data.y, per_class=2, n_splits=1, random_state=seed)
        for car in range(3):
            if not any((record["seed"], record["car"]) == (seed, car) for record in done):
                done.append({"seed": seed, "car": car, **coil3_problem(data, rows, car, fits)})
                with records.open("a") as file:
                    file.write(json.dumps(done[-1]) + "\n")
                print(f"Coil3: {done[-1]}", flush=True)
    certified = sum(record["certified"] and record["fits"] <= fits for record in done)
    perfect = sum(record["wrong"] == 0 for record in done)
    cost = np.array([record["fits"] for record in done])
    print(
        f"Coil3: {certified} of {len(done)} certified within {fits:.0f} SVC fits, {perfect} without error; "
        f"median {np.median(cost):.0f}, largest {cost.max():.0f} SVC fits",
        flush=True,
    )


def coil3_problem(data, rows: np.ndarray, car: int, fits: float) -> dict[str, object]:
    """One car against the rest, in SVC fits of the same rows with all labels; both in CPU seconds of one thread."""
    X, gamma, y = data.X.astype(np.float64), 1 / (2 * 3000.0**2), (data.y == car).astype(int)
    partial = hide_labels(y, rows)
    settings = {"gamma": gamma, "C": 100.0, "C_unlabeled": "equal", "ratio": float(y[partial < 0].mean())}
    supervised = SVC(C=100.0, gamma=gamma)
    one_fit = np.median([cpu_seconds(lambda: supervised.fit(X, y)) for _ in range(9)])
    # the limit counts time on the clock, of which a busy machine gives only a part
    exact = BranchAndBoundS3VM(**settings, time_limit=6 * fits * one_fit)
    spent = cpu_seconds(lambda: exact.fit(X, partial))
    true = s3vm_objective(X, partial, y, gamma=gamma, C=100.0, C_unlabeled="equal")
    return {
        "fits": round(spent / one_fit, 1),
        "nodes": exact.n_nodes_,
        "lower": round(float(exact.lower_bound_[0]), 4),
        "upper": round(float(exact.upper_bound_[0]), 4),
        "certified": exact.optimal_,
        "wrong": int(np.sum(exact.transduction_ != y)),
        "true_labels": round(float(np.ravel(true)[0]), 4),
    }


def cpu_seconds(action: Callable[[], object]) -> float:
    began = process_time()
    action()
    return process_time() - began


def text() -> None:
    """Multi-switch at most 10 LinearSVC fits; gradient annealing at most 15, at an error of at most 6.0 %."""
    data = load_text()
    settings = {"kernel": "linear", "C": 1.25, "tol": 1e-2}
    methods = {
        "multi-switch, adaptive weights (limit 10)": LabelSwitchingS3VM(
            n_switches="all", growth="adaptive", **settings
        ),
        "multi-switch, published weights": LabelSwitchingS3VM(n_switches="all", **settings),
        "gradient annealing, adaptive cooling (limit 15)": AnnealingS3VM(cooling="adaptive", **settings),
        "gradient annealing, published cooling": AnnealingS3VM(**settings),
    }
    for name, model in methods.items():
        ratios, found = zip(*(text_split(model, data, split) for split in range(10)), strict=True)
        print(f"Text, {name}: {np.median(ratios):.1f} LinearSVC fits, error {np.mean(found):.2f} %", flush=True)


def text_split(model, data, split: int) -> tuple[float, float]:
    """(LinearSVC fits, error) on one split."""
    partial = data.partial_labels(split)
    hidden = partial < 0
    model.set_params(ratio=float(data.y[hidden].mean()))
    reference = LinearSVC(C=2.5, fit_intercept=False)
    ratio = in_fits(lambda: model.fit(data.X, partial), lambda: reference.fit(data.X, data.y), repeats=3)
    return ratio, errors(model, data.y, hidden)


def rbf(n_unlabeled: int = 8000) -> None:
    """Multi-switch: hinge at most 10, squared hinge at most 25 SVC fits with all labels; gradient annealing 25."""
    X, y = make_g50c(n_unlabeled + 50, random_state=0)
    gamma = 1 / (2 * 38.0**2)
    partial = hide_labels(y, np.concatenate([np.flatnonzero(y == one)[:25] for one in (0, 1)]))
    settings = {"C": 19.0, "C_unlabeled": "equal", "gamma": gamma, "ratio": float(y[partial < 0].mean())}
    switching = {"n_switches": "all", "growth": "adaptive", "tol": 1e-3, **settings}
    methods = {
        "multi-switch, hinge (limit 10)": LabelSwitchingS3VM(loss="hinge", **switching),
        "multi-switch, squared hinge (limit 25)": LabelSwitchingS3VM(**switching),
        "gradient annealing (limit 25)": AnnealingS3VM(cooling="adaptive", tol=1e-2, **settings),
    }
    supervised = SVC(C=19.0, gamma=gamma)
    for name, model in methods.items():
        ratio = in_fits(lambda one=model: one.fit(X, partial), lambda: supervised.fit(X, y), repeats=1)
        error = errors(model, y, partial < 0)
        print(f"Gaussians, {n_unlabeled} unlabeled, {name}: {ratio:.1f} SVC fits, error {error:.2f} %", flush=True)


def g50c() -> None:
    """A single switch per training: at most 30 SVC fits."""
    data = load_g50c()
    partial = data.partial_labels(0)
    gamma, hidden = 1 / (2 * 38.0**2), partial < 0
    settings = {"C": 19.0, "C_unlabeled": "equal", "gamma": gamma, "ratio": float(data.y[hidden].mean()), "tol": 1e-3}
    supervised = SVC(C=19.0, gamma=gamma)
    for loss in ("hinge", "squared_hinge"):
        model = LabelSwitchingS3VM(loss=loss, **settings)
        ratio = in_fits(lambda one=model: one.fit(data.X, partial), lambda: supervised.fit(data.X, data.y), repeats=5)
        error = errors(model, data.y, hidden)
        print(f"g50c, single switch, {loss}: {ratio:.1f} SVC fits (limit 30), error {error:.1f} %", flush=True)


RECORDS = Path("coil3.jsonl")
PARTS = {"moons": moons, "coil3": lambda: coil3(RECORDS), "text": text, "rbf": rbf, "g50c": g50c}


def main(*names: str) -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    print(f"Combinatorial S3VMs, {threads()}")
    for name in names or [name for name in PARTS if name != "coil3"]:
        PARTS[name]()


if __name__ == "__main__":
    main(*sys.argv[1:])
