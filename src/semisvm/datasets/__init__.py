"""Data sets: generators, loaders with published splits, and hiding labels.

Generators (``make_...``) return ``(X, y)`` as in scikit-learn, with classes 0 and 1.  Where a set comes with a fixed
labeled pair (``make_two_moons``, ``make_clock``), rows 0 and 1 are that pair.  Loaders (``load_...``) return a
:class:`Dataset`.  ``hide_labels`` and ``labeled_splits`` turn full labels into few.
"""

from semisvm.datasets.catalog import CatalogEntry, catalog
from semisvm.datasets.clock import make_clock
from semisvm.datasets.coil import load_coil3, load_coil20
from semisvm.datasets.dataset import Dataset
from semisvm.datasets.digits import load_mnist, load_usps
from semisvm.datasets.gaussians import make_g50c, make_gaussian2c, make_gaussian4c
from semisvm.datasets.images import load_cifar10, load_orl_faces
from semisvm.datasets.isolet import load_isolet
from semisvm.datasets.labels import hide_labels, labeled_splits
from semisvm.datasets.lds import load_g10n, load_g50c, load_text, load_uspst
from semisvm.datasets.moons import make_moons_qn, make_two_moons
from semisvm.datasets.ordinary_tables import load_table, table_names
from semisvm.datasets.ssl_book import load_ssl
from semisvm.datasets.storage import DataFileDamagedError, DataFileMissingError, cache_folder, data_folders
from semisvm.datasets.texts import (
    load_ag_news,
    load_imdb,
    load_movie_reviews,
    load_newsgroups,
    load_pcmac,
    load_reuters,
    load_sst2,
    load_sst_fine,
    load_trec,
    load_webkb,
)
from semisvm.datasets.uci import load_a9a, load_uci
from semisvm.datasets.unavailable import UnavailableSet, unavailable_sets

__all__ = [
    "CatalogEntry",
    "DataFileDamagedError",
    "DataFileMissingError",
    "Dataset",
    "UnavailableSet",
    "cache_folder",
    "catalog",
    "data_folders",
    "hide_labels",
    "labeled_splits",
    "load_a9a",
    "load_ag_news",
    "load_cifar10",
    "load_coil3",
    "load_coil20",
    "load_g10n",
    "load_g50c",
    "load_imdb",
    "load_isolet",
    "load_mnist",
    "load_movie_reviews",
    "load_newsgroups",
    "load_orl_faces",
    "load_pcmac",
    "load_reuters",
    "load_ssl",
    "load_sst2",
    "load_sst_fine",
    "load_table",
    "load_text",
    "load_trec",
    "load_uci",
    "load_usps",
    "load_uspst",
    "load_webkb",
    "make_clock",
    "make_g50c",
    "make_gaussian2c",
    "make_gaussian4c",
    "make_moons_qn",
    "make_two_moons",
    "table_names",
    "unavailable_sets",
]
