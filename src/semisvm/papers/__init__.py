"""Published tables, run again: one declarative file per table, a resumable runner, and ours beside theirs."""

from semisvm.papers.beside import side_by_side
from semisvm.papers.jobs import Job, pending_jobs
from semisvm.papers.records import Record, read_records
from semisvm.papers.runner import run
from semisvm.papers.table import Column, Published, Row, Table, list_tables

__all__ = [
    "Column",
    "Job",
    "Published",
    "Record",
    "Row",
    "Table",
    "list_tables",
    "pending_jobs",
    "read_records",
    "run",
    "side_by_side",
]
