"""Writes docs/tables_in_the_wild.md: the command on tables of many kinds, with what it really says on a terminal.

    SEMISVM_DATA=... python docs/fill_tables_in_the_wild.py [NAME ...]

Labels of real tables are hidden but for a few, drawn with a fixed seed, and what is filled in is held against them.
"""

import gzip
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

PAGE = Path(__file__).parent / "tables_in_the_wild.md"
DATA = Path(os.environ.get("SEMISVM_DATA", "."))
COLUMNS = 100
MOST_ROWS = 1500


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


def iris() -> pd.DataFrame:
    from sklearn.datasets import load_iris

    found = load_iris(as_frame=True)
    return found.data.assign(kind=np.array(found.target_names)[found.target])


def digits() -> pd.DataFrame:
    from sklearn.datasets import load_digits

    found = load_digits(as_frame=True)
    return found.data.astype("int8").assign(kind=found.target)


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
    "measurements": Wild("Measurements", "iris.csv", iris, 12),
    "three": Wild("Three labels for three classes", "three.csv", iris, 3),
    "slips": Wild("Labels with slips", "slips.csv", iris, 24, ("--merge-labels",), slips),
    "cars": Wild("Cars: words and numbers, blanks", "cars.csv", table("automobile"), 40, ("--keep=-1",)),
    "credit": Wild("Credit applications", "credit.tsv", table("crx"), 50, ("--min-precision", "0.9")),
    "census": Wild("A census, compressed", "census.csv.gz", table("adult"), 100, ("--drop", "fnlwgt")),
    "animals": Wild("Animals in a workbook", "animals.xlsx", table("zoo"), 21, ("--explain",)),
    "spills": Wild("Rare cases: 4 in 100", "spills.feather", table("oil-spill"), 60),
    "wine": Wild("Grades of wine", "wine.csv", table("winequality-red"), 100, ("--probabilities",)),
    "questions": Wild("Questions", "questions.jsonl", lines("trec_questions", "label", QUESTIONS), 60),
    "reviews": Wild("Reviews", "reviews.jsonl", lines("imdb_labelled", "label", ("bad", "good")), 40),
    "news": Wild("Twenty news groups", "news.jsonl.gz", lines("20newsgroups_bydate", "class"), 100),
    "digits": Wild("Images as numbers", "digits.parquet", digits, 30),
    "vectors": Wild("Embeddings of images", "vectors.parquet", embeddings, 40),
    "amounts": Wild(
        "A column of amounts in place of classes", "amounts.csv",
        lambda: iris().assign(kind=lambda frame: frame["petal length (cm)"]), 60,
    ),
}  # fmt: skip


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


def on_a_terminal(words: list[str], folder: Path) -> str:
    """What the command says on a terminal, without what it takes back."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-c", "from semisvm.cli import main; main()", *words]
    environment = {**os.environ, "COLUMNS": str(COLUMNS), "NO_COLOR": "1", "TERM": "xterm"}
    with subprocess.Popen(command, stdout=follower, stderr=follower, cwd=folder, env=environment) as process:
        os.close(follower)
        output = b""
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            output += part
        process.wait()
    os.close(leader)
    shown = re.sub(r"[^\n]*\x1b\[2K|[^\n]*\r(?!\n)", "", output.decode().replace("\r\n", "\n"))
    return re.sub(r"\x1b\[[\d;]*m", "", shown).strip("\n")


def section(wild: Wild) -> str:
    """The command, what it says, and how many cells came out wrong."""
    frame, truth = hidden(wild)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kind = wild.file.replace(".jsonl.gz", ".jsonl") if wild.file.endswith(".jsonl.gz") else wild.file
        WRITE[Path(kind).suffix](frame, folder / kind)
        if kind != wild.file:
            (folder / wild.file).write_bytes(gzip.compress((folder / kind).read_bytes()))
        words = ["label", wild.file, "--label", "kind", *wild.words]
        output = on_a_terminal(words, folder)
        ending = wild.file.split(".", 1)[1]
        judged = held_against(folder / wild.file.replace(f".{ending}", f".labeled.{ending}"), frame, truth)
    return f"## {wild.title}\n\n```console\n$ semisvm {' '.join(words)}\n{output}\n```\n\n{judged}\n"


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


HEAD = """# Tables in the wild

The command on tables of many kinds, as people have them. Each is real; all labels but a few were hidden, and what was
filled in is held against them. What stands below is what the command says on a terminal of 100 columns.
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
            known[wild.title] = section(wild)
            print(name)
        ready = [known[one.title] for one in KINDS.values() if one.title in known]
        PAGE.write_text(HEAD + "\n".join(ready), encoding="utf-8")


if __name__ == "__main__":
    main()
