"""`python -m semisvm.cli`."""

from semisvm.cli import main

main()
