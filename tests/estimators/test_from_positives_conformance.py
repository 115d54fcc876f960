"""Methods for positive and unlabeled rows keep what every estimator promises.

The promises are tests on labels of both classes. Here rows of the last class are positive and all others are unlabeled.
"""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from semisvm import PositiveUnlabeledS3VM, PositiveUnlabeledSVM
from semisvm.estimators.labels import Labels, read_labels
from tests.estimators import (
    test_conformance,
    test_odd_rows,
    test_probabilities,
    test_properties,
    test_sizes_of_values,
    test_whole_fits,
)
from tests.estimators.quick import FROM_POSITIVES, SETTINGS


class LastClass:
    """Reads labels of all classes and keeps those of the last one."""

    def _read_labels(self, y, drawn):
        labels = read_labels(y, self.unlabeled, drawn)
        last = labels.codes == len(labels.classes) - 1
        return Labels(labels.classes[[0, -1]], np.where(last, 1, -1), labels.drawn)


class LastClassSVM(LastClass, PositiveUnlabeledSVM):
    pass


class LastClassS3VM(LastClass, PositiveUnlabeledS3VM):
    pass


ADAPTED = {"PositiveUnlabeledSVM": LastClassSVM, "PositiveUnlabeledS3VM": LastClassS3VM}
EXPECTED = {
    "check_classifier_not_supporting_multiclass": "all classes but the last are unlabeled here; refused by the method",
    "check_class_weight_classifiers": "a weight for a class without labels is refused",
    "check_fit2d_1feature": "3 positive rows are too few to estimate their share",
    **{
        f"check_sample_weight_equivalence_on_{kind}_data": 'gamma="scale" and the estimate of the share see rows, not '
        "weights; tested with both given"
        for kind in ("dense", "sparse")
    },
}
every_method = pytest.mark.parametrize("estimator", ADAPTED.values(), ids=ADAPTED)


@pytest.fixture(autouse=True)
def _quick_settings(monkeypatch):
    for name, adapted in ADAPTED.items():
        monkeypatch.setitem(SETTINGS, adapted.__name__, SETTINGS[name])


def test_every_such_method_is_here():
    assert set(ADAPTED) == {one.__name__ for one in FROM_POSITIVES}


@parametrize_with_checks(
    [one(unlabeled=None) for one in ADAPTED.values()], expected_failed_checks=lambda estimator: EXPECTED
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@every_method
def test_kinds_of_rows(estimator, tmp_path):
    test_conformance.test_every_kind_of_rows_gives_the_same_classifier(estimator, tmp_path)
    test_conformance.test_float32_rows_stay_as_they_are(estimator)


@every_method
def test_fits(estimator, monkeypatch):
    test_conformance.test_a_second_fit_is_a_fresh_one_and_nothing_is_shared(estimator)
    test_conformance.test_clone_pickle_and_html(estimator)
    test_conformance.test_a_step_of_a_pipeline_in_a_grid_search(estimator)
    test_conformance.test_tags(estimator)
    test_whole_fits.test_a_failed_fit_leaves_nothing_and_a_failed_second_fit_the_first_model(estimator, monkeypatch)


@every_method
def test_properties_of_fits(estimator, rng):
    test_properties.test_the_order_of_rows_does_not_matter(estimator, rng)
    test_properties.test_no_labels_at_all_are_refused(estimator, np.full(24, -1))
    test_probabilities.test_validation_rows_settle_the_probabilities_and_nothing_else(estimator)


@every_method
@pytest.mark.parametrize("task", test_odd_rows.TASKS)
def test_rows_that_leave_nothing_to_measure(estimator, task):
    test_odd_rows.test_every_classifier_learns(estimator, task)


@every_method
@pytest.mark.parametrize("value", [0.0, 0.1, 1e6 / 3])
def test_equal_rows(estimator, value):
    test_odd_rows.test_a_row_has_one_score_alone_and_among_its_copies(estimator, value)


@every_method
@pytest.mark.parametrize("size", [1e-70, 1e-9, 1e9, 1e70])
def test_sizes_of_rows(estimator, size):
    test_sizes_of_values.test_sizes_that_are_learnt(estimator, size, np.asarray)
