"""Fill the marked places of the README and of docs/how_good.md: `python docs/fill_readme.py [--check]`.

<!-- table -->  gets errors without and with unlabeled rows, from the records of `make default-table`;
<!-- means -->  gets their means over all sets and tables for reporting, from the same records;
<!-- output -->  gets what the Python lines above it print.  Each place ends at  <!-- end -->.
"""

import contextlib
import io
import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "papers")]  # the programs that write the records read them here
PAGES = ("README.md", "docs/how_good.md")
SETS, TABLES = "papers/default_table.jsonl", "docs/ordinary_tables.jsonl"
PLACE = re.compile(r"(<!-- (?P<what>table|means|output) -->\n)(?P<held>.*?)(<!-- end -->)", re.S)
HELPED = "said_to_have_helped"
Record = dict[str, Any]


@dataclass(frozen=True)
class ReadmeRow:
    """A line of the table: what the data are, which records are meant, and the number of labels."""

    shown: str
    file: str
    key: str
    labels: int


ROWS = (
    ReadmeRow("handwritten digits, ten classes (optdigits)", SETS, "uci_optdigits", 50),
    ReadmeRow("photos, ten classes, as embeddings (CIFAR-10)", SETS, "cifar10", 100),
    ReadmeRow("news texts, two groups (baseball, hockey)", SETS, "baseball-hockey", 10),
    ReadmeRow("table of measurements, eleven classes (texture)", TABLES, "texture", 30),
    ReadmeRow("table of numbers, three classes (balance)", TABLES, "balance", 30),
)


def of_set(records: Iterable[Record], row: ReadmeRow) -> tuple[float, float, str, int]:
    """(error without, error with unlabeled rows, what is said, runs), on the splits that both have."""
    found: dict[str, dict[int, Record]] = {"SVC": {}, "S3VM()": {}}
    for one in records:
        if one["dataset"] == f"{row.key} @{row.labels}" and one["method"] in found:
            found[one["method"]][one["split"]] = one
    splits = sorted(found["SVC"].keys() & found["S3VM()"].keys())
    without, with_rows = (_mean([runs[split]["error_pct"] for split in splits]) for runs in found.values())
    helped = [found["S3VM()"][split].get("measures", {}).get(HELPED) for split in splits]
    said = "not recorded" if None in helped else f"in {sum(map(bool, helped))} of {len(helped)}"
    return without, with_rows, said, len(splits)


def of_table(records: Iterable[Record], row: ReadmeRow) -> tuple[float, float, str, int]:
    """The same, with the number of runs in which `S3VM()` said that the unlabeled rows helped."""
    runs = [one for one in records if one["table"] == row.key and one["labels"] == row.labels]
    without, with_rows = (_mean([one["errors"][name] for one in runs]) for name in ("labels alone", "S3VM()"))
    n_helped = sum(bool(one["helped"]) for one in runs)
    return without, with_rows, f"in {n_helped} of {len(runs)}", len(runs)


def runs_on_tables(root: Path) -> list[Record]:
    """The last run of each draw of each table, of whichever version it is."""
    lines = [json.loads(line) for line in (root / TABLES).read_text(encoding="utf-8").splitlines()]
    return list({(one["table"], one["labels"], one["draw"]): one for one in lines}.values())


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def table(root: Path) -> str:
    """The table of the README, from the records below this folder."""
    lines = [
        "| data | labels | SVM on the labels | `S3VM()`, with unlabeled rows | it says that they helped | runs |",
        "|---|---|---|---|---|---|",
    ]
    sets = [json.loads(line) for line in (root / SETS).read_text(encoding="utf-8").splitlines()]
    on_tables = runs_on_tables(root)
    for row in ROWS:
        without, with_rows, said, runs = of_set(sets, row) if row.file == SETS else of_table(on_tables, row)
        lines.append(f"| {row.shown} | {row.labels} | {without:.1f} % | {with_rows:.1f} % | {said} | {runs} |")
    return "\n".join(lines) + "\n"


def means(root: Path) -> str:
    """Mean errors over the sets and over the tables for reporting, from the records below this folder."""
    from benchmarks import ordinary_tables
    from semisvm_papers.comparison import REPORTED
    from semisvm_papers.default_table_figures import OURS, SUPERVISED, cells
    from semisvm_papers.records import read_records

    scores = cells(read_records(root / SETS), (OURS, SUPERVISED))
    measured = [row.name for row in REPORTED if {(row.name, OURS), (row.name, SUPERVISED)} <= scores.keys()]
    sizes = sorted(int(one.partition("@")[2]) for one in measured)
    pairs = {
        ("benchmark sets", f"{sizes[0]} to {sizes[-1]}"): [
            (scores[one, SUPERVISED].error, scores[one, OURS].error) for one in measured
        ]
    }
    runs = [
        ordinary_tables.Run(**one) for one in runs_on_tables(root) if ordinary_tables.role(one["table"]) == "report"
    ]
    for labels in sorted({one.labels for one in runs}):
        errors = ordinary_tables.means([one for one in runs if one.labels == labels]).values()
        pairs["ordinary tables", str(labels)] = [(one["labels alone"], one[OURS]) for one in errors]
    lines = [
        "| data | labels | how many | SVM on the labels | `S3VM()` | lower error on | largest loss |",
        "|---|---|---|---|---|---|---|",
    ]
    for (data, labels), both in pairs.items():
        without, with_rows = (_mean(errors) for errors in zip(*both, strict=True))
        losses = [ours - alone for alone, ours in both]
        counts = f"{len(both)} | {without:.1f} % | {with_rows:.1f} % | {sum(one < 0 for one in losses)}"
        lines.append(f"| {data} | {labels} | {counts} | {f'{max(losses):.1f} points' if max(losses) > 0 else 'none'} |")
    return "\n".join(lines) + "\n"


def output(text: str) -> str:
    """What the first Python lines of the text print, as a block."""
    code = re.findall(r"^```python\n(.*?)^```", text, flags=re.S | re.M)[0]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    return f"```text\n{printed.getvalue()}```\n"


def filled(text: str, root: Path, run: bool = True) -> str:
    """The text with its places filled; without `run` the output stays as it is."""

    def fill(place: re.Match[str]) -> str:
        if place["what"] == "output":
            return f"{place[1]}{output(text) if run else place['held']}{place[4]}"
        return f"{place[1]}{(table if place['what'] == 'table' else means)(root)}{place[4]}"

    return PLACE.sub(fill, text)


def main(words: list[str]) -> int:
    check, stale = "--check" in words, 0
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        new = filled(text, ROOT, run=not check)
        stale += new != text
        if not check:
            (ROOT / page).write_text(new, encoding="utf-8")
    return int(check and stale > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
