"""Models in files: skops archives that hold the preparation beside the classifier, and nothing that is not ours.

Loading builds only types that skops knows as harmless and classes that this package defines; anything else is refused
before any of it is built.
"""

import importlib
import zipfile
from pathlib import Path

from semisvm.cli.labeling import Model
from semisvm.tables import atomic_path

PARTS = ("label", "preparation", "classifier", "classes")


def save_model(model: Model, path: Path) -> None:
    """Write the model to a file, whole or not at all."""
    import skops.io

    with atomic_path(path) as held:
        skops.io.dump({name: getattr(model, name) for name in PARTS}, held)


def load_model(path: Path) -> Model:
    """The model of a file that `save_model` wrote."""
    import skops.io

    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist: name a file that  semisvm fit  wrote.")
    try:
        asked = skops.io.get_untrusted_types(file=path)
        foreign = [name for name in asked if not _is_ours(name)]
        if foreign:
            raise ValueError(
                f"{path} asks for {', '.join(foreign)}, which no model of semisvm holds: it is not loaded."
            )
        held = skops.io.load(path, trusted=asked)
    except (zipfile.BadZipFile, KeyError) as error:
        raise ValueError(f"{path} is not a model: name a file that  semisvm fit  wrote.") from error
    if not isinstance(held, dict) or set(held) != set(PARTS):
        raise ValueError(f"{path} holds no model of a table: name a file that  semisvm fit  wrote.")
    return Model(**held)


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
