"""A search over parameters that knows unlabeled rows and computes each kernel once.

A fold hides the labels of its test rows and leaves the rows in the data, as unlabeled ones: that is how the fitted
model will meet the rows it has to label, and all fits of all folds share one set of rows, so one Gram matrix (or
deformed kernel, or reduced set) serves every C, every C_unlabeled, every class and every fold.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import ParameterGrid, ParameterSampler
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from semisvm._compat import split_rows, take_rows
from semisvm.estimators.classifier import Classifier
from semisvm.estimators.default import S3VM
from semisvm.estimators.labels import labeled_part, with_marker
from semisvm.estimators.space_store import SpaceStore, settings_of
from semisvm.model_selection.scoring import scorer_of
from semisvm.model_selection.splitters import LabeledKFold

WEIGHTS = ("C", "C_unlabeled")
"""Along these a fit starts where the last one ended."""
BESIDE_THE_SPACE = (*WEIGHTS, "ratio", "threshold", "balance", "n_stages", "s", "loss", "tol", "max_iter",
                    "class_weight", "gamma_A", "gamma_I", "fit_intercept", "solver", "variant",
                    "joint_counts")  # fmt: skip
"""Parameters that leave the space of functions as it is."""


@dataclass(frozen=True, eq=False)
class Trial:
    """One fold: what is trained on and what is scored."""

    X: Any
    y: Any
    sample_weight: Any
    X_test: Any
    y_test: Any
    every_row: bool = True
    """Whether all rows are trained on, so that spaces can be shared with other folds."""


@dataclass(frozen=True)
class FoldScore:
    scores: dict[str, float]
    fit_seconds: float
    score_seconds: float
    error: str | None = None


class S3VMSearchCV(MetaEstimatorMixin, BaseEstimator):
    """Search a grid, or draws from distributions, for the parameters of the best score over folds of the labels.

    Parameters
    ----------
    estimator : estimator
        A semisvm classifier, or any other, such as a pipeline, which is then fitted again every time.
    param_grid : dict or list of dicts
        Values to try; with `n_iter` also distributions with an `rvs` method.
    n_iter : int, optional
        Draw so many settings at random instead of trying all.
    cv : int, splitter or None
        An int is `LabeledKFold` of so many folds; None takes five, or as many as the labels allow.
    scoring : str, callable, None, list of names or dict of scorers
        As in scikit-learn, or "f1_rarest", F1 of the rarest class; None is the estimator's own score. Several scores,
        ["accuracy", "balanced_accuracy", "f1_rarest"] say, stand side by side in `cv_results_`.
    refit : bool or str
        Train the best settings on all labels at the end. With several scores it names the one that decides, or is
        False, and nothing is best.
    warm_start : bool
        Start a fit at the solution for the next smaller C and C_unlabeled of the same fold.
    error_score : "raise" or float
        What a failed fit scores.

    Attributes
    ----------
    cv_results_, best_index_, best_params_, best_score_, best_estimator_, n_splits_, refit_time_
        As in scikit-learn's searches.

    Examples
    --------
    >>> from semisvm import GradientS3VM
    >>> from semisvm.datasets import make_g50c
    >>> from semisvm.model_selection import S3VMSearchCV
    >>> X, y = make_g50c(random_state=0)
    >>> y[50:] = -1
    >>> search = S3VMSearchCV(GradientS3VM(gamma="median"), {"C": [0.1, 1, 10]}, cv=3).fit(X, y)
    >>> sorted(search.best_params_)
    ['C']
    """

    def __init__(
        self,
        estimator,
        param_grid,
        *,
        n_iter=None,
        cv=None,
        scoring=None,
        refit=True,
        warm_start=True,
        error_score=np.nan,
        n_jobs=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.param_grid = param_grid
        self.n_iter = n_iter
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.warm_start = warm_start
        self.error_score = error_score
        self.n_jobs = n_jobs
        self.random_state = random_state

    # ---------------------------------------------------------------- fit

    def fit(self, X, y, sample_weight=None, *, groups=None, X_val=None, y_val=None):
        """Try every setting on folds of the labels, or on X_val, y_val where given (the papers' validation sets)."""
        if (X_val is None) != (y_val is None):
            raise ValueError("One of X_val and y_val was given and both, or neither, are needed.")
        self._deciding()
        settings = self._settings()
        trials = (
            [Trial(X, y, sample_weight, X_val, y_val)]
            if X_val is not None
            else list(self._folds(X, y, sample_weight, groups))
        )
        outcomes: dict[tuple[int, int], FoldScore] = {}
        for _, group in _grouped(list(enumerate(settings)), lambda item: _without(item[1], BESIDE_THE_SPACE)):
            outcomes.update(self._try(group, trials))
        self.n_splits_ = len(trials)
        self._warn_of_failures(outcomes)
        self._rank(settings, outcomes)
        if self.refit:
            self._refit(X, y, sample_weight)
        return self

    def _settings(self) -> list[dict]:
        if self.n_iter is None:
            return list(ParameterGrid(self.param_grid))
        return list(ParameterSampler(self.param_grid, self.n_iter, random_state=self.random_state))

    @property
    def _markers(self) -> list:
        """The marker of unlabeled rows, of the estimator or of a step of a pipeline; none in foreign estimators."""
        params = self.estimator.get_params(deep=True)
        return [value for name, value in params.items() if name.split("__")[-1] == "unlabeled"]

    @property
    def _marker(self) -> Any:
        return self._markers[-1] if self._markers else -1

    def _folds(self, X, y, sample_weight, groups) -> Iterator[Trial]:
        hidden_rows_stay = bool(self._markers) and self._marker is not None
        rows, known = labeled_part(y, self._marker)
        is_labeled = np.zeros(len(y), dtype=bool)
        is_labeled[rows] = True
        place = np.full(len(y), -1)
        place[rows] = np.arange(len(rows))
        wasted = False
        for train, test in self._splitter(known).split(X, y, groups):
            wasted = wasted or not is_labeled[test].all()
            tested = test[is_labeled[test]]
            if not len(tested):
                continue
            X_test, y_test = take_rows(X, tested), known[place[tested]]
            if hidden_rows_stay:
                hidden = np.ones(len(y), dtype=bool)
                hidden[train] = False
                yield Trial(X, with_marker(np.asarray(y, dtype=object), hidden, None), sample_weight, X_test, y_test)
            else:
                weight = None if sample_weight is None else np.asarray(sample_weight)[train]
                X_train, y_train = split_rows(self.estimator, X, y, train)
                X_test, _ = split_rows(self.estimator, X, y, tested, train)
                yield Trial(X_train, y_train, weight, X_test, y_test, every_row=False)
        if wasted:
            warnings.warn(
                f"cv={self.cv!r} tests on unlabeled rows, which say nothing in a test: pass an int or LabeledKFold().",
                UserWarning,
                stacklevel=4,
            )

    def _splitter(self, known: np.ndarray) -> Any:
        if self.cv is None:
            counts = np.unique(known, return_counts=True)[1]
            return LabeledKFold(int(np.clip(counts[counts > 1].sum(), 2, 5)), unlabeled=self._marker)
        if isinstance(self.cv, Integral):
            return LabeledKFold(int(self.cv), unlabeled=self._marker)
        return self.cv

    # ---------------------------------------------------------------- trying

    def _try(self, group: list[tuple[int, dict]], trials: list[Trial]) -> dict[tuple[int, int], FoldScore]:
        """All folds of settings that share a space; the space is given back when they are done."""
        store = SpaceStore()
        chains = [chain for _, chain in _grouped(group, lambda item: _without(item[1], WEIGHTS))]
        tasks = [(fold, chain) for chain in chains for fold in range(len(trials))]
        alone = self.n_jobs in (None, 1)
        with threadpool_limits(None if alone else 1):
            parts = Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(self._follow)(chain, trials[fold], store) for fold, chain in tasks
            )
        found: dict[tuple[int, int], FoldScore] = {}
        for (fold, chain), part in zip(tasks, parts, strict=True):
            found.update({(index, fold): outcome for (index, _), outcome in zip(chain, part, strict=True)})
        return found

    def _follow(self, chain: list[tuple[int, dict]], trial: Trial, store: SpaceStore) -> list[FoldScore]:
        """Settings that differ in their weights alone, the smallest first; outcomes in the order given."""
        estimator, outcomes = clone(self.estimator), {}
        if isinstance(estimator, Classifier):
            estimator.set_params(warm_start=self.warm_start)
        if trial.every_row and isinstance(estimator, Classifier | S3VM):
            estimator._space_store = store
        for index, setting in sorted(chain, key=lambda item: [_size(item[1].get(name)) for name in WEIGHTS]):
            estimator = estimator.set_params(**clone(setting, safe=False))
            outcomes[index] = self._outcome(estimator, trial)
        return [outcomes[index] for index, _ in chain]

    def _outcome(self, estimator, trial: Trial) -> FoldScore:
        began = time.perf_counter()
        try:
            weights = {} if trial.sample_weight is None else {"sample_weight": trial.sample_weight}
            estimator.fit(trial.X, trial.y, **weights)
            fitted = time.perf_counter()
            scores = {name: float(one(estimator, trial.X_test, trial.y_test)) for name, one in self._scorers().items()}
        except Exception as error:
            if isinstance(self.error_score, str):
                raise
            scores = dict.fromkeys(self._scorers(), float(self.error_score))
            return FoldScore(scores, time.perf_counter() - began, 0.0, f"{type(error).__name__}: {error}")
        return FoldScore(scores, fitted - began, time.perf_counter() - fitted)

    def _scorers(self) -> dict[str, Callable]:
        """By the name that they have in `cv_results_`; the only one is "score", as in scikit-learn."""
        if self.scoring is None:
            return {"score": lambda estimator, X, y: estimator.score(X, y)}
        if isinstance(self.scoring, dict):
            return {name: scorer_of(one) for name, one in self.scoring.items()}
        if isinstance(self.scoring, list | tuple | set):
            return {name: scorer_of(name) for name in self.scoring}
        return {"score": scorer_of(self.scoring)}

    def _deciding(self) -> str | None:
        """The name of the score that decides; None where there are several and none was named."""
        names = list(self._scorers())
        if names == ["score"] or self.refit in names:
            return "score" if names == ["score"] else self.refit
        if self.refit is False:
            return None
        raise ValueError(
            f"refit={self.refit!r} was given with the scores {names} and the name of the one that decides, or False, "
            "is needed."
        )

    # ---------------------------------------------------------------- results

    def _warn_of_failures(self, outcomes: dict[tuple[int, int], FoldScore]) -> None:
        errors = [outcome.error for outcome in outcomes.values() if outcome.error is not None]
        if len(errors) == len(outcomes):
            raise ValueError(f"All {len(errors)} fits of the search failed, the first with {errors[0]}")
        if errors:
            warnings.warn(
                f"{len(errors)} of {len(outcomes)} fits failed and score {self.error_score}; the first: {errors[0]}",
                FitFailedWarning,
                stacklevel=3,
            )

    def _rank(self, settings: list[dict], outcomes: dict[tuple[int, int], FoldScore]) -> None:
        folds = range(self.n_splits_)
        results: dict[str, Any] = {"params": settings}
        for name in sorted({name for setting in settings for name in setting}):
            column = np.ma.masked_all(len(settings), dtype=object)
            for i, setting in enumerate(settings):
                if name in setting:
                    column[i] = setting[name]
            results[f"param_{name}"] = column
        for part in ("fit", "score"):
            seconds = [[getattr(outcomes[i, fold], f"{part}_seconds") for fold in folds] for i in range(len(settings))]
            results[f"mean_{part}_time"] = np.mean(seconds, axis=1)
        for name in self._scorers():
            table = np.array([[outcomes[i, fold].scores[name] for fold in folds] for i in range(len(settings))])
            mean = table.mean(axis=1)
            worst = np.where(np.isnan(mean), -np.inf, mean)
            results |= {f"split{fold}_test_{name}": table[:, fold] for fold in folds}
            results |= {f"mean_test_{name}": mean, f"std_test_{name}": table.std(axis=1)}
            results[f"rank_test_{name}"] = rankdata(-worst, method="min").astype(int)
        self.cv_results_ = results
        deciding = self._deciding()
        if deciding is not None:
            self.best_index_ = int(np.argmin(results[f"rank_test_{deciding}"]))
            self.best_params_ = settings[self.best_index_]
            self.best_score_ = float(results[f"mean_test_{deciding}"][self.best_index_])

    def _refit(self, X, y, sample_weight) -> None:
        began = time.perf_counter()
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        best = clone(self.estimator).set_params(**clone(self.best_params_, safe=False))
        self.best_estimator_ = best.fit(X, y, **weights)
        self.refit_time_ = time.perf_counter() - began

    # ---------------------------------------------------------------- predictions of the best estimator

    def _best(self) -> Any:
        check_is_fitted(self, "cv_results_")
        if not self.refit:
            raise AttributeError("This search was made with refit=False and has no best_estimator_: set refit=True.")
        return self.best_estimator_

    @property
    def classes_(self) -> np.ndarray:
        return self._best().classes_

    @property
    def transduction_(self) -> np.ndarray:
        """The class of every row given to `fit`, by the best settings."""
        return self._best().transduction_

    @property
    def n_features_in_(self) -> int:
        return self._best().n_features_in_

    def predict(self, X, **params):
        return self._best().predict(X, **params)

    def predict_proba(self, X):
        return self._best().predict_proba(X)

    def decision_function(self, X):
        return self._best().decision_function(X)

    def score(self, X, y):
        best, deciding = self._best(), self._deciding()
        assert deciding is not None  # where nothing decides, nothing was refitted
        return self._scorers()[deciding](best, X, y)

    def __sklearn_is_fitted__(self) -> bool:
        return "cv_results_" in vars(self)

    def __sklearn_tags__(self):
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.estimator_type, tags.classifier_tags = inner.estimator_type, inner.classifier_tags
        tags.input_tags, tags.target_tags = inner.input_tags, inner.target_tags
        return tags


def _without(setting: dict, names: tuple[str, ...]) -> tuple:
    return tuple((name, settings_of(value)) for name, value in sorted(setting.items()) if name not in names)


def _grouped(items: list, key: Callable) -> list[tuple[Any, list]]:
    """Items of equal key together, in the order of their first."""
    groups: dict[Any, list] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.items())


def _size(weight: Any) -> float:
    """Where a weight comes in order; names ("auto", "equal") and absent ones first."""
    return float(weight) if isinstance(weight, int | float | np.number) else -np.inf
