"""The results of labeling a table: the data, an HTML page for people, and JSON for programs."""

from semisvm.report.machines import as_json, for_machines
from semisvm.report.page import page, write_page
from semisvm.report.story import DoubtedLabel, Fold, Map, Story, Suggestion

__all__ = ["DoubtedLabel", "Fold", "Map", "Story", "Suggestion", "as_json", "for_machines", "page", "write_page"]
