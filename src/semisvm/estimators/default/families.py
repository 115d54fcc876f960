"""The families of models that the default averages, each trained on every set of labels.

    labels alone           an SVM on the first preparation: rbf kernel of the median width, linear on texts
    logistic regression    on the first preparation
    random forest          on the first preparation of dense rows
    extra trees            on the first preparation of dense rows
    SVMs                   one on every label-free kernel
    S3VMs                  one on every label-free kernel

The first four never see an unlabeled row; the kernels of the fifth do, and so does all of the sixth.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from semisvm.estimators.default.average import REFERENCE_ROWS, KernelAverages, PreparedPredictor, ScaledModel, Size
from semisvm.estimators.default.label_free import LabelFreeKernels
from semisvm.estimators.default.label_sets import LabelSets, LeftOutLabels
from semisvm.estimators.default.members import Member, MemberModel
from semisvm.estimators.default.named import fit_named
from semisvm.estimators.default.preparation import Preparation
from semisvm.estimators.default.settings import Settings
from semisvm.estimators.default.small_svms import small_enough, solve_in_parts
from semisvm.estimators.probabilities import class_scores
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import Kernel, LinearKernel
from semisvm.spaces import KernelPredictor, Predictor

LABELS_ALONE, LOGISTIC, FOREST, EXTRA_TREES = "labels alone", "logistic regression", "random forest", "extra trees"
SVMS, S3VMS = "SVMs on label-free kernels", "S3VMs"
SUPERVISED = (LABELS_ALONE, LOGISTIC, FOREST, EXTRA_TREES)
FORESTS = {FOREST: RandomForestClassifier, EXTRA_TREES: ExtraTreesClassifier}
N_TREES = 100
LARGEST_IN_TREES = float(np.finfo(np.float32).max) * 2.0**-40
"""Sums of 2**40 such values are finite in single precision."""
CS, ENOUGH_FOR_C = (1.0, 0.1, 0.01, 10.0), 50
"""Values of C that logistic regression chooses from, and how many labels it needs to choose; the first one else."""
SMALLEST_PROBABILITY = 0.02
"""Share of a uniform guess that is mixed into the probabilities of a classifier: none of them is certain."""


@dataclass(frozen=True, eq=False)
class Family:
    """Scores of one family, one column per class. The evidence determines their scale."""

    name: str
    scores: np.ndarray
    """(n, classes) of the training rows, from all labels."""
    left_out: list[np.ndarray]
    """(labels it leaves out, classes) of every set but the first, from the labels it holds."""
    predictor: Predictor
    columns: slice
    """Those of the predictor's scores that are this family's."""
    probabilistic: bool
    """Whether scores are logarithms of probabilities."""


@dataclass(frozen=True, eq=False)
class Labeled:
    """The labels, where they are, and what each of them weighs."""

    rows: np.ndarray
    sets: LabelSets
    weights: np.ndarray
    """Sample weight times class weight of each label."""


# ---------------------------------------------------------------- one supervised model on the first preparation


@dataclass(frozen=True, eq=False)
class ClassifierPredictor(Predictor):
    """Smoothed logarithms of a classifier's probabilities, after preparation; classes that it never saw have p = 0."""

    preparation: Preparation
    classifier: Any
    n_classes: int

    def scores(self, X) -> np.ndarray:
        return self.of_prepared(self.preparation.apply(X))

    def of_prepared(self, X) -> np.ndarray:
        p = np.zeros((X.shape[0], self.n_classes))
        p[:, self.classifier.classes_] = self.classifier.predict_proba(in_single_range(X))
        return smoothed_logs(p)


def in_single_range(X):
    """Trees read rows in single precision, and scikit-learn sums rows to find infinite ones: both need them clipped."""
    return np.clip(X, -LARGEST_IN_TREES, LARGEST_IN_TREES) if isinstance(X, np.ndarray) else X


def smoothed_logs(p: np.ndarray) -> np.ndarray:
    """log((1 - e) p + e / k)."""
    return np.log((1.0 - SMALLEST_PROBABILITY) * p + SMALLEST_PROBABILITY / p.shape[1])


def logistic_regression(kernels: LabelFreeKernels, labeled: Labeled) -> Family:
    """C is chosen by the log-loss on left-out labels where there are enough; for a fold, by those of the others."""
    sets = labeled.sets
    tried = [_logistic_models(kernels, labeled, C) for C in (CS if len(sets.codes) >= ENOUGH_FOR_C else CS[:1])]
    left_out = [_left_out_scores(models, kernels, labeled) for models in tried]
    chosen = _least_log_loss(left_out, LeftOutLabels(sets, labeled.weights))
    every, n_folds = tried[chosen[0]][0], sets.n_folds
    of_sets = [left_out[of_fold][place] for place, of_fold in enumerate(chosen[1:])]
    for place, (one, other) in enumerate(sets.pairs, start=n_folds):
        # what a pair says of one fold counts for the other one, with its C
        in_one = ~sets.kept[1 + one, sets.left_out[place]][:, None]
        of_sets.append(np.where(in_one, left_out[chosen[1 + other]][place], left_out[chosen[1 + one]][place]))
    columns = slice(0, sets.n_classes)
    return Family(LOGISTIC, every.of_prepared(kernels.rows), of_sets, every, columns, probabilistic=True)


def _logistic_models(kernels: LabelFreeKernels, labeled: Labeled, C: float) -> list[ClassifierPredictor]:
    """One of every set."""
    X, sets = kernels.rows, labeled.sets

    def trained(kept: np.ndarray) -> ClassifierPredictor:
        rows, codes, weights = labeled.rows[kept], sets.codes[kept], labeled.weights[kept]
        model = LogisticRegression(C=C, max_iter=1000) if len(np.unique(codes)) > 1 else OneClass()
        return ClassifierPredictor(kernels.preparations[0], model.fit(X[rows], codes, weights), sets.n_classes)

    return [trained(kept) for kept in sets.kept]


def _left_out_scores(
    models: list[ClassifierPredictor], kernels: LabelFreeKernels, labeled: Labeled
) -> list[np.ndarray]:
    left_out = labeled.sets.left_out
    return [one.of_prepared(kernels.rows[labeled.rows[rows]]) for one, rows in zip(models[1:], left_out, strict=True)]


def _least_log_loss(left_out: list[list[np.ndarray]], seen: LeftOutLabels) -> np.ndarray:
    """Which of several models the first set and each fold take: the one of the least log-loss on what counts for it."""
    codes = seen.sets.codes[seen.places]
    losses = np.array([-np.concatenate(logs)[np.arange(len(codes)), codes] for logs in left_out])
    return np.argmin(losses @ seen.counted.T, axis=0)


class OneClass:
    """Where a fold leaves labels of one class alone."""

    def fit(self, X, codes, weights) -> "OneClass":
        self.classes_ = np.unique(codes)
        return self

    def predict_proba(self, X) -> np.ndarray:
        return np.ones((X.shape[0], 1))


def forest_family(name: str, kernels: LabelFreeKernels, labeled: Labeled, settings: Settings) -> Family:
    """Every tree leaves out two folds. A label is predicted by the trees that have not seen it."""
    X, sets = in_single_range(kernels.rows[labeled.rows]), labeled.sets
    subsets = sets.kept[1 + sets.n_folds :] if sets.pairs else sets.kept[1:]
    forest = FORESTS[name](0, bootstrap=False, warm_start=True, random_state=settings.tree_seed, n_jobs=settings.n_jobs)
    p = np.zeros((len(subsets), len(sets.codes), sets.n_classes))
    for place, kept in enumerate(subsets):
        n_trees = forest.n_estimators
        forest.n_estimators += -(-N_TREES // len(subsets))
        forest.fit(X, sets.codes, np.where(kept, labeled.weights, 0.0))
        p[place][:, forest.classes_] = _mean_of_trees(forest.estimators_[n_trees:], X)
    forest.n_jobs = 1  # threads would add up its trees in any order, and the last bit would change
    # a set uses the trees that have seen none of the labels it leaves out
    left_out = [smoothed_logs(p[~subsets[:, rows].any(axis=1)][:, rows].mean(axis=0)) for rows in sets.left_out]
    predictor = ClassifierPredictor(kernels.preparations[0], forest, sets.n_classes)
    columns = slice(0, sets.n_classes)
    return Family(name, predictor.of_prepared(kernels.rows), left_out, predictor, columns, probabilistic=True)


def _mean_of_trees(trees: list, X: np.ndarray) -> np.ndarray:
    X = np.asarray(X, dtype=np.float32)
    return np.mean([tree.predict_proba(X, check_input=False) for tree in trees], axis=0)


def labels_alone(kernels: LabelFreeKernels, labeled: Labeled, settings: Settings) -> Family:
    """Train all sets at once where there are few labels, else one `SupervisedSVM` after the other."""
    sets, support = labeled.sets, Points.of(kernels.rows[labeled.rows])
    kernel: Kernel = LinearKernel() if kernels.sparse else kernels.median_kernel
    found = None
    if small_enough(len(support)):
        K = kernel.gram(support)
        weights = settings.C * np.where(sets.spread(), labeled.weights[:, None], 0.0)
        found = solve_in_parts(K[None], sets.signs(), weights)
    if found is None:
        return _labels_alone_in_turn(kernels, labeled, settings)
    beta, bias = found.beta[0], found.bias[0]
    left_out = []
    for place, rows in enumerate(sets.left_out):
        own = sets.columns_of(1 + place)
        left_out.append(class_scores(K[rows] @ beta[:, own] + bias[own]))
    own = sets.columns_of(0)
    predictor = KernelPredictor.sparse(kernel, support, beta[:, own], bias[own])
    return _family_alone(kernels, predictor, left_out)


def _labels_alone_in_turn(kernels: LabelFreeKernels, labeled: Labeled, settings: Settings) -> Family:
    X, sets = kernels.rows, labeled.sets

    def trained(kept: np.ndarray) -> Predictor:
        rows, codes = labeled.rows[kept], sets.codes[kept]
        model = fit_named("supervised", X[rows], codes, labeled.weights[kept], settings)
        return ClassesPredictor(model.predictor_, model.classes_, sets.n_classes)

    every, *of_sets = (trained(kept) for kept in sets.kept)
    left_out = [one.scores(X[labeled.rows[rows]]) for one, rows in zip(of_sets, sets.left_out, strict=True)]
    return _family_alone(kernels, every, left_out)


def _family_alone(kernels: LabelFreeKernels, predictor: Predictor, left_out: list[np.ndarray]) -> Family:
    scores = predictor.scores(kernels.rows)
    prepared = PreparedPredictor(kernels.preparations[0], predictor)
    columns = slice(0, scores.shape[1])
    return Family(LABELS_ALONE, class_scores(scores), left_out, prepared, columns, probabilistic=False)


@dataclass(frozen=True, eq=False)
class ClassesPredictor(Predictor):
    """One score per class from a model that may have seen some of the classes only; the others score lowest."""

    predictor: Predictor
    classes: np.ndarray
    n_classes: int

    def scores(self, X) -> np.ndarray:
        known = class_scores(self.predictor.scores(X))
        every = np.repeat(known.min(axis=1, keepdims=True) - 1.0, self.n_classes, axis=1)
        every[:, self.classes] = known
        return every


# ---------------------------------------------------------------- one model on every label-free kernel


def kernel_families(
    members: list[Member], weights: np.ndarray, labeled: Labeled, unlabeled: np.ndarray
) -> tuple[list[Family], list[list[ScaledModel]]]:
    """The averages over all kernels: that of the SVMs and, where there are unlabeled rows, that of the S3VMs.

    weights: (sets, members), each set's by its own labels.
    """
    reference = unlabeled if len(unlabeled) else labeled.rows
    reference = reference[:: -(-len(reference) // REFERENCE_ROWS)]
    kinds: list[tuple[str, list[MemberModel]]] = [(SVMS, [member.supervised for member in members])]
    semi = [member.semi_supervised for member in members if member.semi_supervised is not None]
    if len(semi) == len(members):
        kinds.append((S3VMS, semi))
    averages, scaled = [], []
    for name, models in kinds:
        scores, left_out, own = _average(members, models, weights, labeled, reference)
        averages.append((name, scores, left_out))
        scaled.append(own)
    predictor = KernelAverages.of(scaled)
    k = labeled.sets.n_columns
    families = [
        Family(name, scores, left_out, predictor, slice(place * k, (place + 1) * k), probabilistic=False)
        for place, (name, scores, left_out) in enumerate(averages)
    ]
    return families, scaled


def _average(
    members: list[Member], models: list[MemberModel], weights: np.ndarray, labeled: Labeled, reference: np.ndarray
) -> tuple[np.ndarray, list[np.ndarray], list[ScaledModel]]:
    """(scores of all rows, left-out scores of each set but the first, the models that make up the first)."""
    sets = labeled.sets
    scores = np.zeros((len(members[0].view.Z), sets.n_columns))
    left_out = [np.zeros((len(rows), sets.n_columns)) for rows in sets.left_out]
    scaled = []
    for place, (member, model) in enumerate(zip(members, models, strict=True)):
        Z = member.view.Z
        at_reference, at_labels = model.scores(Z[reference]), model.scores(Z[labeled.rows])
        for one, (weight, total) in enumerate(zip(weights[:, place], [scores, *left_out], strict=True)):
            if weight == 0.0:
                continue
            own = sets.columns_of(one)
            size = Size.of(at_reference[:, own])
            if one == 0:
                z = Z @ model.theta[:, own].astype(Z.dtype, copy=False) + model.intercept[own]
                scaled.append(ScaledModel(member, model, own, float(weight), size))
            else:
                z = at_labels[sets.left_out[one - 1]][:, own]
            total += weight * size.common(z)
    return class_scores(scores), [class_scores(one) for one in left_out], scaled
