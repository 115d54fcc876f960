"""`python -m semisvm.annotate.demonstration`: scikit-learn's digits, without a label, as images to name."""

import argparse
import struct
import tempfile
import zlib
from pathlib import Path

import numpy as np

from semisvm.annotate.request import AnnotateRequest


def write_digits(folder: Path, rows: int = 1797) -> Path:
    """Write a table of digits with a blank label column, and their images beside it, unless the table exists."""
    import pandas as pd
    from sklearn.datasets import load_digits

    table, images = folder / "digits.csv", folder / "digits"
    if table.exists():
        return table
    images.mkdir(parents=True, exist_ok=True)
    pixels = load_digits().data[:rows]
    names = [f"digits/{row:04d}.png" for row in range(len(pixels))]
    for name, picture in zip(names, pixels, strict=True):
        (folder / name).write_bytes(png(255 - np.minimum(255, 16 * picture.reshape(8, 8)).astype(np.uint8)))
    frame = pd.DataFrame(pixels.astype(int), columns=[f"pixel_{k // 8}_{k % 8}" for k in range(64)])
    frame.insert(0, "image", names)
    frame.insert(0, "digit", "")
    frame.to_csv(table, index=False)
    return table


def png(gray: np.ndarray) -> bytes:
    """A gray image as the bytes of a PNG file."""
    height, width = gray.shape
    lines = b"".join(b"\0" + line.tobytes() for line in gray)
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)), (b"IDAT", zlib.compress(lines))]
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in [*parts, (b"IEND", b"")]
    )
    return b"\x89PNG\r\n\x1a\n" + body


def main() -> None:
    from semisvm.annotate.running import run

    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "semisvm-annotate")
    words.add_argument("--port", type=int, default=0)
    words.add_argument("--rows", type=int, default=1797)
    given = words.parse_args()
    run(AnnotateRequest(write_digits(given.folder, given.rows), "digit", image="image"), given.port)


if __name__ == "__main__":
    main()
