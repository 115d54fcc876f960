"""Choosing parameters with few labels: folds of labels, scores of labels, a search that shares its kernels."""

from semisvm.model_selection.scoring import LabeledScorer, PositiveScorer, labeled_scorer, positive_scorer
from semisvm.model_selection.search import S3VMSearchCV
from semisvm.model_selection.splitters import LabeledGroupKFold, LabeledKFold, LabeledShuffleSplit

__all__ = [
    "LabeledGroupKFold",
    "LabeledKFold",
    "LabeledScorer",
    "LabeledShuffleSplit",
    "PositiveScorer",
    "S3VMSearchCV",
    "labeled_scorer",
    "positive_scorer",
]
