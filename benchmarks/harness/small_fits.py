"""Four small fits whose instructions are counted: run under callgrind, one dump of counts per fit.

`python -m benchmarks.harness.small_fits` by itself only fits. A first fit of each, not counted, imports what it needs.
"""

from __future__ import annotations

import warnings
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks.harness.valgrind_requests import Callgrind
from benchmarks.kernel import GAMMA, C, draw
from semisvm import CCCPS3VM, LabelSwitchingS3VM, LaplacianSVM, QuasiNewtonS3VM

KERNEL: dict[str, Any] = {"C": C, "gamma": GAMMA}
FITS: dict[str, Any] = {
    "quasi-Newton, linear": QuasiNewtonS3VM(kernel="linear", C=0.013),
    "CCCP ramp, kernel": CCCPS3VM(**KERNEL),
    "multi-switch, kernel": LabelSwitchingS3VM(n_switches="all", n_stages=5, **KERNEL),
    "Laplacian SVM, pcg": LaplacianSVM(gamma=GAMMA, gamma_A=1e-3, gamma_I=1e-2),
}
UNLABELED = 150


def main() -> None:
    warnings.simplefilter("ignore")
    given, callgrind = draw(UNLABELED, 0), Callgrind()
    with threadpool_limits(1):
        for name, model in FITS.items():
            model.fit(given.X, given.labels)
            callgrind.start()
            callgrind.zero()
            model.fit(given.X, given.labels)
            callgrind.dump(name)
            callgrind.stop()


if __name__ == "__main__":
    main()
