"""Models in files: skops archives with the preparation and the classifier.

Loading builds only types that skops lists as harmless and classes of this package. A file with any other type is
refused before anything is built. A file records the version that wrote it and the attributes of its objects. A file
that lacks some of them is refused.
"""

import importlib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import semisvm
from semisvm.cli.labeling import Model
from semisvm.estimators import S3VM
from semisvm.estimators.probabilities import Calibration
from semisvm.spaces import Predictor
from semisvm.tables import Column, TablePreparation, atomic_path

PARTS = {"label": str, "preparation": TablePreparation, "classifier": S3VM, "classes": list}
NEEDED: dict[str, dict[str, type]] = {
    "preparation": {"columns_": list, "centers_": list, "scales_": list},
    "classifier": {"predictor_": Predictor, "calibration_": Calibration, "classes_": np.ndarray},
}
"""Attributes that prediction needs."""


def save_model(model: Model, path: Path) -> None:
    """Write the model to a file, whole or not at all."""
    import skops.io

    held = {name: getattr(model, name) for name in PARTS}
    attributes = {name: sorted(one for one in vars(held[name]) if not one.startswith("_")) for name in NEEDED}
    with atomic_path(path) as place:
        skops.io.dump({**held, "version": semisvm.__version__, "attributes": attributes}, place)


def load_model(path: Path) -> Model:
    """The model of a file that `save_model` wrote."""
    import skops.io

    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist: name a file that  semisvm fit  wrote.")
    try:
        asked = skops.io.get_untrusted_types(file=path)
        foreign = [name for name in asked if not _is_ours(name)]
    except (zipfile.BadZipFile, OSError) as error:
        raise ValueError(f"{path} is not a model: name a file that  semisvm fit  wrote.") from error
    except Exception as error:  # a file of unknown origin may raise any error
        raise ValueError(f"{path} is damaged: name a file that  semisvm fit  wrote.") from error
    if foreign:
        raise ValueError(f"{path} asks for {', '.join(foreign)}, which no model of semisvm holds: it is not loaded.")
    try:
        with sound(path):
            held = skops.io.load(path, trusted=asked)
    except ValueError as error:
        raise ValueError(f"{path} is damaged: fit the model again.") from error
    with sound(path):
        checked = _checked(held, path)
    return Model(**{name: checked[name] for name in PARTS})


@contextmanager
def sound(path: Path) -> Iterator[None]:
    """Turn any error of a file whose parts do not fit together into one sentence."""
    try:
        yield
    except (ValueError, MemoryError, ModuleNotFoundError):
        raise
    except Exception as error:  # a file of unknown origin may raise any error
        raise ValueError(f"{path} is damaged ({type(error).__name__}): fit the model again.") from error


def _checked(held: Any, path: Path) -> dict:
    if not isinstance(held, dict) or not set(PARTS) <= set(held):
        raise ValueError(f"{path} holds no model of a table: name a file that  semisvm fit  wrote.")
    if not isinstance(held.get("version"), str) or not isinstance(held.get("attributes"), dict):
        raise ValueError(f"{path} does not say which version wrote it: fit the model again.")
    wrong = [name for name, kind in PARTS.items() if not isinstance(held[name], kind)]
    for part, needed in NEEDED.items():
        there = vars(held[part]) if part not in wrong else {}
        recorded = held["attributes"].get(part)
        names = recorded if isinstance(recorded, list) else []
        wrong += [f"{part}.{name}" for name in names if name not in there]
        wrong += [f"{part}.{name}" for name, kind in needed.items() if not isinstance(there.get(name), kind)]
    if not wrong and not all(isinstance(one, Column) for one in held["preparation"].columns_):
        wrong = ["preparation.columns_"]
    if not wrong and len(held["classes"]) != len(held["classifier"].classes_):
        wrong = ["classes"]
    if wrong:
        lacking = ", ".join(list(dict.fromkeys(wrong))[:6])
        raise ValueError(f"{path}, written by version {held['version']}, lacks {lacking}: fit the model again.")
    return held


def _is_ours(name: str) -> bool:
    """Whether this is a class that a module of the package defines, under that name."""
    module, _, kind = name.rpartition(".")
    if module.split(".")[0] != "semisvm":
        return False
    try:
        found = getattr(importlib.import_module(module), kind, None)
    except ImportError:
        return False
    return isinstance(found, type) and found.__module__ == module
