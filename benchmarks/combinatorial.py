"""The combinatorial S3VMs in units of one supervised fit, all measured in this run.

Branch and bound, certified: 2moons (200 rows) in SVC fits of that size, and the thirty problems of Coil3 (ten splits,
three cars each against the rest). Label switching and gradient annealing, linear on sparse text, in LinearSVC fits with
all labels; label switching with an RBF kernel on Gaussians, in SVC fits with all labels.

Run `python -m benchmarks.combinatorial [moons] [coil3] [text] [rbf] [g50c]`; without names all but coil3, which takes
minutes.
"""

from __future__ import annotations

import sys
import warnings
from time import perf_counter

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from benchmarks.stopwatch import race, threads
from semisvm import AnnealingS3VM, BranchAndBoundS3VM, LabelSwitchingS3VM
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
    times = race({"exact": lambda: exact.fit(X, partial), "SVC": lambda: supervised.fit(X, y)}, repeats=5)
    return (
        f"{times['exact'].over(times['SVC'])} SVC fits (limit 400), {exact.n_nodes_} nodes, optimum "
        f"{exact.objective_[0]:.4f}, optimal {exact.optimal_}, error {errors(exact, y, partial < 0):.1f} %"
    )


def coil3(n_splits: int = 10, fits: float = 1e4) -> None:
    """No error in all problems, 27 of 30 certified within 10^4 SVC fits each."""
    data = load_coil3()
    X, gamma = data.X.astype(np.float64), 1 / (2 * 3000.0**2)
    one_fit = race({"SVC": lambda: SVC(C=100.0, gamma=gamma).fit(X, data.y == 0)}, repeats=5)["SVC"].median
    random, certified, perfect = np.random.RandomState(0), 0, 0
    for split in range(n_splits):
        (rows,) = labeled_splits(data.y, per_class=2, n_splits=1, random_state=random)
        for car in range(3):
            y = (data.y == car).astype(int)
            partial = hide_labels(y, rows)
            hidden = partial < 0
            exact = BranchAndBoundS3VM(
                gamma=gamma, C=100.0, C_unlabeled="equal", ratio=float(y[hidden].mean()), time_limit=fits * one_fit
            )
            began = perf_counter()
            exact.fit(X, partial)
            spent = (perf_counter() - began) / one_fit
            error = errors(exact, y, hidden)
            certified, perfect = certified + exact.optimal_, perfect + (error == 0)
            print(
                f"Coil3, split {split}, car {data.classes[car]}: {spent:.0f} SVC fits, {exact.n_nodes_} nodes, bounds "
                f"{exact.lower_bound_[0]:.2f} to {exact.upper_bound_[0]:.2f}, error {error:.1f} %",
                flush=True,
            )
    print(f"Coil3: {certified} of {3 * n_splits} certified, {perfect} without error", flush=True)


def text() -> None:
    """Multi-switch at most 10 LinearSVC fits; gradient annealing at most 15, at an error of at most 6.0 %."""
    data = load_text()
    settings = {"kernel": "linear", "C": 1.25, "tol": 1e-2}
    methods = {
        "multi-switch, 5 stages (limit 10)": LabelSwitchingS3VM(n_switches="all", n_stages=5, **settings),
        "multi-switch, published stages": LabelSwitchingS3VM(n_switches="all", **settings),
        "gradient annealing, cooling 30 (limit 15)": AnnealingS3VM(cooling=30.0, **settings),
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
    times = race(
        {"ours": lambda: model.fit(data.X, partial), "LinearSVC": lambda: reference.fit(data.X, data.y)}, repeats=1
    )
    return times["ours"].median / times["LinearSVC"].median, errors(model, data.y, hidden)


def rbf(n_unlabeled: int = 8000) -> None:
    """Multi-switch, hinge at most 10 and squared hinge at most 25 SVC fits on all rows labeled."""
    X, y = make_g50c(n_unlabeled + 50, random_state=0)
    gamma = 1 / (2 * 38.0**2)
    partial = hide_labels(y, np.concatenate([np.flatnonzero(y == one)[:25] for one in (0, 1)]))
    settings = {"n_switches": "all", "n_stages": 5, "C": 19.0, "C_unlabeled": "equal", "gamma": gamma, "tol": 1e-3}
    settings["ratio"] = float(y[partial < 0].mean())
    methods = {loss: LabelSwitchingS3VM(loss=loss, **settings) for loss in ("hinge", "squared_hinge")}
    actions = {name: lambda m=model: m.fit(X, partial) for name, model in methods.items()}
    times = race({**actions, "SVC": lambda: SVC(C=19.0, gamma=gamma).fit(X, y)}, repeats=1)
    for (name, model), limit in zip(methods.items(), (10, 25), strict=True):
        ratio, error = times[name].over(times["SVC"]), errors(model, y, partial < 0)
        print(
            f"Gaussians, {n_unlabeled} unlabeled, {name}: {ratio} SVC fits (limit {limit}), error {error:.2f} %",
            flush=True,
        )


def g50c() -> None:
    """A single switch per training: at most 30 SVC fits."""
    data = load_g50c()
    partial = data.partial_labels(0)
    gamma, hidden = 1 / (2 * 38.0**2), partial < 0
    settings = {"C": 19.0, "C_unlabeled": "equal", "gamma": gamma, "ratio": float(data.y[hidden].mean()), "tol": 1e-3}
    methods = {loss: LabelSwitchingS3VM(loss=loss, **settings) for loss in ("hinge", "squared_hinge")}
    actions = {name: lambda m=model: m.fit(data.X, partial) for name, model in methods.items()}
    times = race({**actions, "SVC": lambda: SVC(C=19.0, gamma=gamma).fit(data.X, data.y)}, repeats=5)
    for name, model in methods.items():
        ratio, error = times[name].over(times["SVC"]), errors(model, data.y, hidden)
        print(f"g50c, single switch, {name}: {ratio} SVC fits (limit 30), error {error:.1f} %", flush=True)


PARTS = {"moons": moons, "coil3": coil3, "text": text, "rbf": rbf, "g50c": g50c}


def main(*names: str) -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    print(f"Combinatorial S3VMs, {threads()}")
    for name in names or [name for name in PARTS if name != "coil3"]:
        PARTS[name]()


if __name__ == "__main__":
    main(*sys.argv[1:])
