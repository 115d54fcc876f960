"""Fits on Dask arrays and frames: blocks of rows stay on their workers, coefficients travel.

    from semisvm.distributed import Distributed
    model = Distributed(QuasiNewtonS3VM(kernel="linear")).fit(X, y)      # X, y: dask
    model.predict(X)                                                     # lazy, block by block
    model.to_local()                                                     # the plain estimator

The estimators take Dask arrays themselves, too; `Distributed` adds the choice of a client. Needs the extra `dask`.
"""

try:
    import dask

    import distributed
except ImportError as missing:
    raise ImportError(
        f"Dask arrays need the package {missing.name!r}, which is not installed: pip install 'semisvm[dask]'."
    ) from None

from semisvm.distributed.estimator import Distributed
from semisvm.distributed.rows import DaskRows, row_source
from semisvm.distributed.space import RemoteSpace

__all__ = ["DaskRows", "Distributed", "RemoteSpace", "row_source"]
del dask, distributed
