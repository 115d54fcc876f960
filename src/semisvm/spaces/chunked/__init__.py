"""Rows that are never held whole, and spaces of functions on them.

row_source     what an estimator asks of rows, wherever they are
features       features of a block of rows: the rows themselves, or landmarks
space          what all spaces on such rows share
in_process     chunks that the threads of this process visit, in turns
arrays, files, parquet, generated     where such chunks come from
opening        `chunked(X)`, which finds the right one
graph_features features whose metric carries an anchor graph
"""

from semisvm.spaces.chunked.opening import chunked

__all__ = ["chunked"]
