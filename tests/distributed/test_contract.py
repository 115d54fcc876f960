"""Spaces on the blocks of a cluster keep what every space promises."""

import dask.array as da
import pytest

from semisvm.distributed import DaskRows, RemoteSpace
from tests.spaces import test_contract
from tests.spaces.examples import X_SPARSE, X, also_centered, spaces_of

# the tests of spaces here, on the cases below
CONTRACT = {name: test for name, test in vars(test_contract).items() if name.startswith("test_") and callable(test)}
globals().update({name: test for name, test in CONTRACT.items() if name != "test_every_space_has_an_example"})

NAMES = also_centered(dict.fromkeys(("linear dense", "linear sparse", "landmarks", "linear with constant"), (None, X)))


@pytest.fixture(scope="module")
def cluster_spaces(client):
    dense = DaskRows(da.from_array(X, chunks=(17, -1)), client)
    sparse = DaskRows(da.from_array(X_SPARSE.toarray(), chunks=(23, -1)).map_blocks(type(X_SPARSE)), client)
    return also_centered(spaces_of(dense, sparse))


@pytest.fixture(params=NAMES, ids=str)
def case(request, cluster_spaces):
    return cluster_spaces[request.param]


@pytest.fixture
def maps(case):
    return case[0]


def test_the_cases_live_on_the_cluster(case):
    space = case[0]
    while not isinstance(space, RemoteSpace):
        space = space.base
