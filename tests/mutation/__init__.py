"""Small changes to the source that some test has to notice: `make mutants`, or `python -m tests.mutation --count 20`.

Mutants are drawn by a fixed seed from losses, spaces, objective, optim and algorithms. Each is one change to one
expression, made while its module is imported; no file is written. It runs against the tests of its folder that name
something of its module, and the equivalence tests, for a minute of processor time at most; one that survives them runs
against the other tests of the folder, for another minute. What became of it is kept, so that a run goes on where it was
stopped. Survivors that do the same as the original are listed with the reason in
`equivalent.toml`.
"""
