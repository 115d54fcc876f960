"""A Newton S3VM whose plateau is wider and whose flanks are steeper than those of `NewtonS3VM`."""

from __future__ import annotations

from semisvm import NewtonS3VM
from semisvm.losses import FlatQuadratic, Loss, SquaredHinge


class SteepNewtonS3VM(NewtonS3VM):
    """1 up to |t| = 0.65, a fall of slope 4 between two parabolas of width 0.1, and 0 from |t| = 1 on."""

    def _losses(self) -> tuple[Loss, Loss]:
        return SquaredHinge(), FlatQuadratic(0.65, 0.75, 0.9, 1.0)
