"""Geometry of the rows.

distances          rows of a data set, and squared distances between them
distance_order     all distances of a small set, in order
kernel_distances   distances in the feature space of a kernel
neighbors          nearest rows
widths             how wide a kernel is
kernels            k(x, z) in blocks
graph              neighbor graphs and their Laplacians
landmarks          a few points that stand for all
shortest_path      coordinates from softened shortest paths
anchors            a graph for very many rows
"""
