"""Asks callgrind, under which the process runs, to count or not to count: what valgrind.h does in C, from Python.

A request is a sequence of instructions that changes nothing, which valgrind knows when it sees it: %rax points to the
request and its arguments. Outside valgrind it is without effect. x86-64 only.
"""

from __future__ import annotations

import ctypes
import mmap
import platform

START, STOP, DUMP, ZERO = 0x43540004, 0x43540005, 0x43540003, 0x43540001
"""Start and stop to instrument; write the counts under a name and begin again; forget the counts."""

# mov %rdi,%rax; xor %edx,%edx; rol $3, $13, $61, $51 of %rdi; xchg %rbx,%rbx; mov %rdx,%rax; ret
INSTRUCTIONS = bytes.fromhex("4889f8 31d2 48c1c703 48c1c70d 48c1c73d 48c1c733 4887db 4889d0 c3".replace(" ", ""))


class Callgrind:
    """Requests to the callgrind around this process."""

    def __init__(self) -> None:
        if platform.machine() != "x86_64":
            raise OSError(f"Requests to valgrind are written for x86_64; this is {platform.machine()}.")
        self._code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self._code.write(INSTRUCTIONS)
        address = ctypes.addressof(ctypes.c_char.from_buffer(self._code))
        self._call = ctypes.CFUNCTYPE(ctypes.c_ulong, ctypes.c_void_p)(address)

    def ask(self, request: int, argument: int = 0) -> None:
        block = (ctypes.c_ulong * 6)(request, argument, 0, 0, 0, 0)
        self._call(ctypes.addressof(block))

    def start(self) -> None:
        self.ask(START)

    def stop(self) -> None:
        self.ask(STOP)

    def zero(self) -> None:
        self.ask(ZERO)

    def dump(self, name: str) -> None:
        text = ctypes.create_string_buffer(name.encode())
        self.ask(DUMP, ctypes.addressof(text))
