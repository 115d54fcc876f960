"""Published tables, run again: one declarative file per table, a resumable runner, and ours beside theirs."""
