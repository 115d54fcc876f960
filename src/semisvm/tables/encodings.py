"""Text that is not UTF-8: read as if it were, and written back in the bytes that it came in.

A file with a UTF-16 byte order mark is UTF-16. One that is not UTF-8 from its first letter beyond ASCII on is
Windows-1252, or Latin-1 where it holds bytes that Windows-1252 lacks. Each of their bytes is one letter, so that bytes
of any other such encoding come back unchanged too.
"""

import codecs
import io
from typing import Any, BinaryIO, cast

UTF8 = "utf-8"
NAMES = {"utf-16-le": "UTF-16", "utf-16-be": "UTF-16", "cp1252": "Windows-1252", "latin-1": "Latin-1"}
"""Encodings that are read besides UTF-8, as people call them."""
MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
NOT_IN_WINDOWS = (b"\x81", b"\x8d", b"\x8f", b"\x90", b"\x9d")
BLOCK_BYTES = 2**20


def encoding_of(file: BinaryIO) -> str:
    """The encoding of a text; UnicodeDecodeError where it has none of those that are read."""
    begin = file.read(2)
    if begin in MARKS:
        return MARKS[begin]
    return UTF8 if (broken := _first_error(begin, file)) is None else _of_single_bytes(broken, file)


def _first_error(begin: bytes, file: BinaryIO) -> UnicodeDecodeError | None:
    """Where the text stops being UTF-8. Letters beyond ASCII before that place leave no other encoding: raised."""
    decoder = codecs.getincrementaldecoder(UTF8)()
    ascii_alone, block = True, begin
    while True:
        try:
            ascii_alone &= decoder.decode(block, final=not block).isascii()
        except UnicodeDecodeError as error:
            if b"\0" in error.object or not (ascii_alone and error.object[: error.start].isascii()):
                raise
            return error
        if not block:
            return None
        block = file.read(BLOCK_BYTES)


def _of_single_bytes(broken: UnicodeDecodeError, file: BinaryIO) -> str:
    """By the bytes from the error on."""
    windows, block = True, broken.object
    while block:
        if b"\0" in block:
            raise broken
        windows = windows and not any(byte in block for byte in NOT_IN_WINDOWS)
        block = file.read(BLOCK_BYTES)
    return "cp1252" if windows else "latin-1"


def as_utf8(file: BinaryIO, encoding: str) -> BinaryIO:
    """The text of a file of this encoding as UTF-8."""
    return file if encoding == UTF8 else cast(BinaryIO, io.BufferedReader(_Recoded(file, encoding), BLOCK_BYTES))


class _Recoded(io.RawIOBase):
    def __init__(self, file: BinaryIO, encoding: str):
        self.file, self.decoder, self.held = file, codecs.getincrementaldecoder(encoding)(), b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        ended = False
        while not self.held and not ended:
            block = self.file.read(BLOCK_BYTES)
            ended = not block
            self.held = self.decoder.decode(block, final=ended).encode()
        n = min(len(buffer), len(self.held))
        buffer[:n], self.held = self.held[:n], self.held[n:]
        return n

    def close(self) -> None:
        self.file.close()
        super().close()
