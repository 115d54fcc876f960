"""Writing the report: one HTML page, one page of Markdown, and the figures that the latter shows."""

from __future__ import annotations

from pathlib import Path

from semisvm_papers.figures import drawings
from semisvm_papers.report import PapersReport
from semisvm_papers.report_html import html
from semisvm_papers.report_markdown import markdown


def write_pages(report: PapersReport, folder: Path | str) -> list[Path]:
    """Write report.html, report.md and figures/*.svg, and return the two pages."""
    folder = Path(folder)
    drawn = {one.table.name: list(drawings(one.table, one.records)) for one in report.tables if one.table.figures}
    files: dict[str, list[Path]] = {}
    for name, figures in drawn.items():
        for number, drawing in enumerate(figures, 1):
            file = Path("figures") / f"{name}-{number}.svg"
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(drawing, encoding="utf-8")
            files.setdefault(name, []).append(file)
    folder.mkdir(parents=True, exist_ok=True)
    pages = {folder / "report.html": html(report, drawn), folder / "report.md": markdown(report, files)}
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")
    return list(pages)
