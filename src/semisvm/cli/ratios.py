"""--ratio: read the shares of the classes, in the order of the classes."""

from collections.abc import Sequence
from typing import Any

from semisvm.tables.listing import listed, named, short

WORDS = ("labeled", "uniform", "estimated")


def shares_of(text: str, classes: Sequence[Any]) -> Any:
    """Read a word, the share of the second of two classes, or one share per class."""
    if text in WORDS:
        return text
    names = [str(one) for one in classes]
    if "=" not in text:
        number = _share(text, text)
        if len(names) > 2:
            pairs = f"{short(names[0])}=0.2,{short(names[1])}=0.5"
            raise ValueError(
                f"--ratio {text} is one number and there are {len(names)} classes: write {pairs} and so on."
            )
        return number
    given: dict[str, float] = {}
    for pair in text.split(","):
        name, _, share = pair.rpartition("=")
        name = name.strip()
        if name not in names:
            raise ValueError(f"--ratio names the class {named(name)} and the classes are {listed(names)}.")
        if name in given:
            raise ValueError(f"--ratio names the class {named(name)} twice: one share for each is needed.")
        given[name] = _share(share, text)
    left = [name for name in names if name not in given]
    if len(left) > 1:
        raise ValueError(f"--ratio says nothing of {listed(left)}: all classes but one are needed.")
    for name in left:
        given[name] = max(0.0, 1.0 - sum(given.values()))
    total = sum(given.values())
    if abs(total - 1.0) > 0.01:
        raise ValueError(f"--ratio {text} adds up to {total:g}: shares that add up to 1 are needed.")
    empty = [name for name in left if given[name] < 1e-9]
    if empty:
        raise ValueError(
            f"--ratio {text} leaves nothing for {named(empty[0])}, which has a label: a share above 0 for every class "
            "is needed."
        )
    shares = [given[name] / total for name in names]
    return shares[1] if len(shares) == 2 else shares


def _share(text: str, given: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 < number < 1:
        raise ValueError(
            f"--ratio {given} was given: a share between 0 and 1, or pairs such as cat=0.3,dog=0.7, is needed."
        )
    return number
