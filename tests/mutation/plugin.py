"""A plugin of pytest that changes one expression of one module while it is imported: MUTANT=module:place."""

import importlib.abc
import importlib.machinery
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from tests.mutation.mutating import mutated


class Mutator(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, module: str, place: int):
        self.module, self.place = module, place

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None):
        if name != self.module:
            return None
        others = (finder.find_spec(name, path, target) for finder in sys.meta_path if finder is not self)
        spec = next(found for found in others if found is not None)
        self.origin = str(spec.origin)
        return importlib.machinery.ModuleSpec(name, self, origin=self.origin)

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = self.origin
        tree = mutated(Path(self.origin).read_text(encoding="utf-8"), self.place)
        exec(compile(tree, self.origin, "exec"), module.__dict__)


if "MUTANT" in os.environ:
    module, place = os.environ["MUTANT"].split(":")
    sys.meta_path.insert(0, Mutator(module, int(place)))
