"""Models that turn texts into numbers, from a folder of this machine; nothing is downloaded.

A folder of sentence-transformers is opened by that package where it is installed; any other by model2vec, which needs
no more than NumPy to look up and average the vectors of words.
"""

import importlib.util
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np


def embedded(folder: str, texts: list[str]) -> np.ndarray:
    """(texts, numbers); zeros for a text without words."""
    model = _opened(folder)
    found = np.asarray(model.encode(texts), dtype=float)
    blank = np.array([not text.strip() for text in texts], dtype=bool)
    found[blank | ~np.isfinite(found).all(axis=1)] = 0.0
    return found


@lru_cache(maxsize=2)
def _opened(folder: str) -> Any:
    place = Path(folder)
    if not place.is_dir():
        raise FileNotFoundError(f"{folder} is not a folder: name one that holds a model; none is downloaded.")
    try:
        if (place / "modules.json").is_file() and importlib.util.find_spec("sentence_transformers") is not None:
            from sentence_transformers import SentenceTransformer

            return SentenceTransformer(folder, local_files_only=True)
        from model2vec import StaticModel

        return StaticModel.from_pretrained(folder, force_download=False)
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(
            f"{folder} holds no model that can be read: one that model2vec or sentence-transformers wrote is needed."
        ) from error
