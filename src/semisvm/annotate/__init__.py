"""Label a table together with a model: a local page that asks for labels, learns, and says when to stop.

One process serves the page and keeps the labels. A child process learns, so that a key never waits for a fit.

    request, sheet       what to label, and the table in memory
    decisions, lock      every decision is on disk before it counts; one process at a time
    labels, asking       what is known about each row, and which row is asked next
    learning, child      the model, in a process of its own
    evidence, stopping   the expected error, from rows drawn at random, and what more labels would bring
    groups, checking     rows to accept together, labels to look at again
    session, view        the state of the page, and what it shows
    guard, server, running   the page, and who may see it
"""
