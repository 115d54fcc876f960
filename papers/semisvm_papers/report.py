"""All tables beside their records: what agrees, what differs and why, what cannot be run."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

from semisvm_papers.agreement import MIN_SPLITS, Cell, Verdict, cells_of, count, order_correlation
from semisvm_papers.claim_checks import Measured
from semisvm_papers.claim_settings import Declared
from semisvm_papers.claims import Claim, JudgedClaim, claims_sentence, judged_claims
from semisvm_papers.confirming import CodeState, Confirmation, count_states, states_of
from semisvm_papers.derived import derived_records
from semisvm_papers.jobs import Job, Resolver, estimator_named, pending_jobs
from semisvm_papers.judgement import Judgement, is_judged, is_strict, judgement_of
from semisvm_papers.not_runnable import NotRunnable
from semisvm_papers.provenance import KERNELS
from semisvm_papers.records import Record, latest, read_records, up_to_date
from semisvm_papers.table import Table, declarations_of

UNEXPLAINED = "unexplained"
GOAL = 0.85
"""The share of the cells on the papers' own data that should be within the strict rule, at once or without a cause."""


@dataclass(frozen=True)
class Explanation:
    """Why cells differ: patterns of their names as in a shell (`*`, `?`), and one sentence.

    ``removed_in`` names a table that measures the same cells without the cause.
    """

    sentence: str
    table: str = "*"
    dataset: str = "*"
    method: str = "*"
    removed_in: str | None = None

    def fits(self, cell: Cell) -> bool:
        names = ((cell.table, self.table), (cell.dataset, self.dataset), (cell.method, self.method))
        return all(fnmatchcase(name, pattern) for name, pattern in names)


@dataclass(frozen=True)
class TableReport:
    """A table with all that was measured of it."""

    table: Table
    cells: Sequence[Cell]
    records: Sequence[Record]
    left: Sequence[Job]
    """What is still to be run of it."""
    states: Mapping[tuple[str, str, str], CodeState]
    """Whether today's code gives what was recorded, for every cell with records."""

    @property
    def correlation(self) -> float | None:
        return order_correlation(self.cells)

    @property
    def counts(self) -> Mapping[Verdict, int]:
        return count(self.cells)

    @cached_property
    def judgement(self) -> Judgement:
        return judgement_of(self.table, self.cells)


@dataclass(frozen=True)
class PapersReport:
    """Everything that the pages show."""

    tables: Sequence[TableReport]
    explanations: Sequence[Explanation]
    not_runnable: Sequence[NotRunnable]
    claims: Sequence[JudgedClaim] = ()
    """What the papers say, with our verdicts."""

    @property
    def cells(self) -> list[Cell]:
        return [cell for one in self.tables for cell in one.cells]

    @property
    def records(self) -> list[Record]:
        return [record for one in self.tables for record in one.records]

    def sentence(self, cell: Cell) -> str:
        """Why a cell differs; the first explanation that fits it."""
        return next((one.sentence for one in self.explanations if one.fits(cell)), UNEXPLAINED)

    @property
    def not_measured(self) -> str:
        """How many published values are not measured, and why."""
        kinds = {entry.kind: 0 for entry in self.not_runnable}
        for entry in self.not_runnable:
            kinds[entry.kind] += entry.values
        return ", ".join(f"{number} {kind}" for kind, number in kinds.items()) or "none"

    @property
    def counted(self) -> list[Cell]:
        """The cells of the tables whose rule has power."""
        return [cell for one in self._own_tables if one.judgement.has_power for cell in one.cells]

    @property
    def _own_tables(self) -> list[TableReport]:
        """Those of the papers, without the ones that measure a table otherwise."""
        return [one for one in self.tables if one.table.variant_of is None]

    @property
    def agreement(self) -> str:
        """How many of the cells with enough splits agree, and how many of those on the papers' own data."""
        judged = [cell for cell in self.counted if is_judged(cell)]
        if not judged:
            return f"No cell has the {MIN_SPLITS} splits from which on cells are judged."
        agree = [cell for cell in judged if cell.verdict is Verdict.AGREES]
        return (
            f"Of the cells with enough splits {_share(agree, judged)} agree; of those whose rows of data are the "
            f"paper's own, {_share(_own(agree), _own(judged))}. The others have data that stand in for what is not "
            "available: other speakers, moons, newsgroups, image sizes."
        )

    @property
    def strictness(self) -> str:
        """How many cells are within the strict rule, in the tables where that has power, and how many are distinct."""
        judged = self._strictly_judged
        strict = [cell for cell in judged if _passes(cell)]
        measurements = frozenset[tuple[str, ...]]().union(*(one.judgement.measurements for one in self._own_tables))
        n_judged = sum(one.judgement.n_judged for one in self._own_tables)
        return (
            f"By the strict rule {_share(strict, judged)} agree; of those whose rows of data are the paper's own, "
            f"{_share(_own(strict), _own(judged))}. The {n_judged} cells with enough splits of all tables are "
            f"{len(measurements)} distinct measurements; the others repeat one of them."
        )

    @property
    def causes(self) -> str:
        """How many cells beyond the strict rule are within it in a recorded run without the cause."""
        judged = _own(self._strictly_judged)
        beyond = [cell for cell in judged if not _passes(cell)]
        within = [cell for cell in beyond if self._is_strict_without_cause(cell)]
        return (
            f"Of the cells on the paper's own data that the strict rule does not pass, {_share(within, beyond)} are "
            f"within it in a recorded run without the cause that is named: a further {_share(within, judged)} of all. "
            f"With those it passes they are {_share([*filter(_passes, judged), *within], judged)}; the goal is "
            f"{100 * GOAL:.0f} %."
        )

    @property
    def _strictly_judged(self) -> list[Cell]:
        """The judged cells of the papers' tables where the strict rule has power."""
        tables = [one for one in self._own_tables if one.judgement.strict_has_power]
        return [cell for one in tables for cell in one.cells if is_judged(cell)]

    def _is_strict_without_cause(self, cell: Cell) -> bool:
        reason = next((one for one in self.explanations if one.fits(cell)), None)
        if reason is None or reason.removed_in is None:
            return False
        name = (reason.removed_in, cell.dataset, cell.method)
        others = [one for one in self.cells if (one.table, one.dataset, one.method) == name]
        enough = [one for one in others if len(one.ours) >= MIN_SPLITS]
        return any(cell.published and is_strict(one.ours, cell.published) for one in enough)

    @property
    def without_power(self) -> list[str]:
        """Which tables are not counted because a rule has no power there, a sentence for each rule."""
        said = []
        loose = [(one.table.name, one.judgement) for one in self._own_tables if not one.judgement.has_power]
        if loose:
            parts = [f"{name} ({j.n_agree} of {j.n_judged}; others {_percent(j.others_agree)})" for name, j in loose]
            said.append(f"The rule has no power, so that the cells are not counted: {'; '.join(parts)}.")
        strict = [(one.table.name, one.judgement) for one in self._own_tables if not one.judgement.strict_has_power]
        if strict:
            parts = [f"{name} ({j.n_strict} of {j.n_judged}; others {_percent(j.others_strict)})" for name, j in strict]
            said.append(f"The strict rule has no power, so that the cells are not counted: {'; '.join(parts)}.")
        unknown = [one.table.name for one in self._own_tables if one.judgement.n_judged and not one.judgement.n_others]
        if unknown:
            said.append(f"Power is not known where a row has one method only; the cells count: {', '.join(unknown)}.")
        return said

    @property
    def confirmed(self) -> str:
        """How many cells today's code is known to repeat."""
        counts = count_states({cell: state for one in self.tables for cell, state in one.states.items()})
        said = [f"{number} {state.value}" for state, number in counts.items() if number]
        return f"Of the {sum(counts.values())} cells with records: {'; '.join(said)}."

    @property
    def statements(self) -> str:
        """How many statements of the papers hold."""
        return claims_sentence(self.claims)

    @property
    def completeness(self) -> str:
        """Which tables have cells, or splits of cells, that are still to be run."""
        unfinished = []
        for one in self.tables:
            begun = {record.key[:3] for record in one.records}
            cells = {job.key[:3] for job in one.left}
            counts = ((len(cells - begun), "not run"), (len(cells & begun), "on fewer splits"))
            if parts := [f"{number} {how}" for number, how in counts if number]:
                unfinished.append(f"{one.table.name} ({', '.join(parts)})")
        if not unfinished:
            return "Every cell that can be run was run on all of its splits."
        return f"Cells still to be run: {'; '.join(unfinished)}. All others were run on all of their splits."

    @property
    def last_line(self) -> str:
        counts = count(self.counted)
        runnable = sum(number for verdict, number in counts.items() if verdict.counts)
        return f"{counts[Verdict.AGREES]} of {runnable} cells agree; values not measured: {self.not_measured}"

    @property
    def origin(self) -> list[str]:
        """When, from which commits and on which machines the records come, a sentence each."""
        records = self.records
        if not records:
            return ["There are no records yet."]
        dates = sorted(record.date[:10] for record in records)
        commits = sorted({record.commit or "an installed copy" for record in records})
        machines = sorted({_size(record.machine) for record in records if record.machine})
        said = [
            f"{len(records)} records of {dates[0]}" + (f" to {dates[-1]}." if dates[-1] != dates[0] else "."),
            f"Code: {', '.join(commits)} (+ marks uncommitted changes).",
        ]
        if machines:
            said.append(f"Machine: {'; '.join(machines)}; one thread per cell.")
        kernels = Counter(named for record in records if (named := record.versions.get(KERNELS)))
        if kernels:
            parts = [f"{name} ({number} records)" for name, number in sorted(kernels.items())]
            said.append(f"Kernels of BLAS: {', '.join(parts)}; not recorded before.")
        return said

    def summary(self) -> dict[str, Any]:
        """The counts as plain data."""
        return {
            "summary": self.last_line,
            "agreement": self.agreement,
            "strictness": self.strictness,
            "causes": self.causes,
            "without_power": self.without_power,
            "completeness": self.completeness,
            "confirmed": self.confirmed,
            "statements": {one.claim.id: one.verdict.value for one in self.claims},
            "unexplained": sum(
                cell.verdict is Verdict.DIFFERS and self.sentence(cell) == UNEXPLAINED for cell in self.cells
            ),
            "tables": [
                {
                    "table": one.table.name,
                    **{verdict.value: number for verdict, number in one.counts.items()},
                    "kendall": one.correlation,
                    "judgement": one.judgement.summary(),
                }
                for one in self.tables
            ],
        }


def gather(
    tables: Iterable[Table],
    records: Iterable[Record],
    explanations: Sequence[Explanation] = (),
    not_runnable: Sequence[NotRunnable] = (),
    resolve: Resolver = estimator_named,
    confirmations: Sequence[Confirmation] = (),
    claims: Sequence[Claim] = (),
) -> PapersReport:
    """The report of some tables and all records there are; the last record of each cell and split counts."""
    tables, reports = list(tables), []
    known = up_to_date(latest(records), declarations_of(tables))
    for table in tables:
        own = [record for record in known if record.table == table.name] + derived_records(table, known)
        left = pending_jobs(table, own, resolve=resolve)
        states = states_of(pending_jobs(table, splits=1, resolve=resolve), own, confirmations)
        reports.append(TableReport(table, cells_of(table, own, resolve), own, left, states))
    measured = Measured(
        (cell for one in reports for cell in one.cells), (record for one in reports for record in one.records)
    )
    declared = Declared({table.name: table for table in tables}, known)
    return PapersReport(reports, explanations, not_runnable, judged_claims(claims, measured, declared))


def read_all_records(folder: Path | str) -> list[Record]:
    """The records of a file, or of all `.jsonl` files of a folder."""
    folder = Path(folder)
    files = sorted(folder.glob("*.jsonl")) if folder.is_dir() else [folder]
    return latest(record for file in files for record in read_records(file))


def read_explanations(path: Path | str) -> list[Explanation]:
    """The entries `[[because]]` of a TOML file; none where there is no file."""
    path = Path(path)
    if not path.exists():
        return []
    return [Explanation(**entry) for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("because", [])]


def _passes(cell: Cell) -> bool:
    """Whether the strict rule passes a cell."""
    return cell.published is not None and is_strict(cell.ours, cell.published)


def _own(cells: Sequence[Cell]) -> list[Cell]:
    """Those on the paper's own data."""
    return [cell for cell in cells if not cell.stand_in]


def _share(part: Sequence[Cell], cells: Sequence[Cell]) -> str:
    """3 of 4 (75 %)."""
    return f"{len(part)} of {len(cells)}" + (f" ({100 * len(part) / len(cells):.0f} %)" if cells else "")


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.0f} %"


def _size(machine: Mapping[str, float]) -> str:
    return f"{machine['cores']:g} cores, {machine['GiB']:g} GiB"
