"""ISOLET: spoken letters of the alphabet, speaker groups 1 and 5."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from semisvm.datasets.dataset import Dataset
from semisvm.datasets.storage import data_files, read_arrays


def load_isolet(classes: Sequence[str] | None = None, groups: Sequence[int] = (1, 5)) -> Dataset:
    """Spoken letters: 617 columns in [-1, 1], 30 speakers per group, each letter twice; the classes are A to Z.

    ``classes="BCDEGPTVZ"`` keeps the nine confusable letters of the survey, which took speaker groups 1, 2 and 3;
    only 1 and 5 are available.  ``row_info`` holds ``speaker`` and ``group``.
    """
    unknown = [group for group in groups if group not in (1, 5)]
    if unknown or not groups:
        raise ValueError(f"groups={tuple(groups)} was given: only the speaker groups 1 and 5 are available.")
    arrays = read_arrays("isolet_1_5.npz")
    letters = Dataset(
        name="isolet",
        X=np.concatenate([arrays[f"X{group}"] for group in groups]),
        y=np.concatenate([arrays[f"y{group}"] for group in groups]).astype(np.int64),
        classes=np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ")),
        description="spoken letters, speaker groups " + " and ".join(str(group) for group in groups),
        license=data_files()["isolet_1_5.npz"].license,
        row_info={
            "speaker": np.concatenate([arrays[f"speaker{group}"] for group in groups]),
            "group": np.concatenate([np.full(len(arrays[f"y{group}"]), group) for group in groups]),
        },
    )
    return letters if classes is None else letters.only(*classes)
