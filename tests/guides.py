"""The code of the guides, so that what they show goes through the tests of what the package holds."""

import re
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parent.parent


def blocks(page: str, section: str = "") -> list[str]:
    """The Python blocks of a page, or of one of its sections."""
    text = (ROOT / page).read_text(encoding="utf-8")
    if section:
        text = text.split(f"\n## {section}\n")[1].split("\n## ")[0]
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.S | re.M)


def module(page: str, section: str = "") -> ModuleType:
    """These blocks, run one after the other in a module of their own."""
    name = re.sub(r"\W+", "_", f"guide {page} {section}")
    if name not in sys.modules:
        made = ModuleType(name)
        sys.modules[name] = made
        for block in blocks(page, section):
            exec(compile(block, page, "exec"), made.__dict__)
    return sys.modules[name]
