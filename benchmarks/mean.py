"""Mean S3VM, Gram matrix included, against one SVC fit on the same rows all labeled.

Run `python -m benchmarks.mean`; the data are read from $SEMISVM_DATA. Ten labels of 1,500 rows, C1 and C2 of the
paper's Table 1, the RBF kernel (libsvm does not converge on g241c with a linear one and this C). Label switching and
the Laplacian SVM run on the same rows, and their seconds in units of ours follow.
"""

from __future__ import annotations

import sys

from sklearn.svm import SVC

from benchmarks.stopwatch import race, threads
from semisvm import LabelSwitchingS3VM, LaplacianSVM, MeanS3VM
from semisvm.datasets import load_ssl
from semisvm.geometry.distances import Points
from semisvm.geometry.widths import width

LIMITS = {"iter": 2.0, "mkl": 6.0}
SETS = ("g241c", "digit1", "usps", "text")
C, C_UNLABELED = 100.0, 0.1


def compare(name: str, repeats: int) -> None:
    data = load_ssl(name)
    labels = data.partial_labels(0, 10)
    ratio = float(data.y[labels < 0].mean())
    common = {"gamma": width("mean_distance", Points.of(data.X))}
    switching = LabelSwitchingS3VM(loss="hinge", n_switches="all", C=C, ratio=ratio, **common)
    actions = {
        "SVC": lambda: SVC(C=C, **common).fit(data.X, data.y),
        "iter": lambda: MeanS3VM(C=C, C_unlabeled=C_UNLABELED, ratio=ratio, **common).fit(data.X, labels),
        "mkl": lambda: MeanS3VM(variant="mkl", C=C, C_unlabeled=C_UNLABELED, ratio=ratio, **common).fit(data.X, labels),
        "label switching": lambda: switching.fit(data.X, labels),
        "Laplacian SVM": lambda: LaplacianSVM(gamma_A=1e-2, gamma_I=1e-2, **common).fit(data.X, labels),
    }
    times = race(actions, repeats)
    print(f"{name} {data.X.shape}: SVC {times['SVC'].median:.3f} s")
    for variant, limit in LIMITS.items():
        print(f"  {variant} / SVC {times[variant].over(times['SVC'])}, limit {limit}")
    for other in ("label switching", "Laplacian SVM"):
        print(f"  {other} / iter {times[other].over(times['iter'])}", flush=True)


def main(repeats: int = 5, *wanted: str) -> None:
    print(threads())
    for name in wanted or SETS:
        compare(name, repeats)


if __name__ == "__main__":
    main(*(int(argument) if argument.isdigit() else argument for argument in sys.argv[1:]))
