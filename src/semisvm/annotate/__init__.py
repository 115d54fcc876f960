"""Label a table together with a model: a local page that asks, learns beside it and knows when to stop.

One process serves the page and keeps the labels; a child of it learns, so that a key never waits for a fit.

    request, sheet       what to label, and the table in memory
    decisions, lock      every decision on disk before it counts, by one process at a time
    labels, asking       what is known of each row, and which row is asked next
    learning, child      the model, in a process of its own
    evidence, stopping   the expected error, from rows drawn at random, and what more labels would bring
    groups, checking     rows to accept together, labels to look at again
    session, view        all of it together, and what the page shows of it
    guard, server, running   the page, and who may see it
"""
