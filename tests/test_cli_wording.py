"""Messages of estimators in the words of the command."""

import numpy as np
import pandas as pd
import pytest

from semisvm.cli.wording import in_words


def test_messages_of_estimators_speak_of_options_and_of_columns():
    said = 'Column 2 varies 1,000 times as much; It likely hurt, so look at method="supervised" too.'
    assert in_words(said, ["a", "b", "price"]) == (
        "Column 'price' varies 1,000 times as much; It likely hurt, so look at --method supervised too."
    )
    assert in_words("S3VM stopped at time_limit=3.0 after 2 of 9 members: raise time_limit.", []) == (
        "S3VM stopped at --time-limit 3.0 after 2 of 9 members: raise --time-limit."
    )


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "GradientS3VM stopped at time_limit=0.5 with stationarity 2.9e+01, above tol=0.1: raise time_limit or tol.",
            "GradientS3VM stopped at --time-limit 0.5, before its end: raise it.",
        ),
        (
            "CCCPS3VM stopped at max_iter=200 with stationarity 2.9e+01, above tol=0.01: raise max_iter or tol.",
            "CCCPS3VM stopped after 200 iterations, before its end.",
        ),
        (
            'The Gram matrix of 9 rows needs 8 GiB and 1 GiB are available: set n_components=..., or kernel="linear".',
            "The Gram matrix of 9 rows needs 8 GiB and 1 GiB are available: train on fewer rows with --sample, or take "
            "--method auto.",
        ),
        ("It is not estimated: S3VM() does that.", "It is not estimated: --method auto does that."),
    ],
)
def test_parameters_of_python_are_options_here(said, shown):
    assert in_words(said, []) == shown


def test_a_method_that_is_stopped_names_the_option(call, tmp_path):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(200, 3)), columns=["a", "b", "c"])
    frame["kind"] = ["x", "y"] * 10 + [None] * 180
    frame.to_csv(tmp_path / "t.csv", index=False)
    result = call("label", "t.csv", "--label", "kind", "--method", "gradient", "--time-limit", "0.0001")
    assert "GradientS3VM stopped at --time-limit 0.0001, before its end: raise it.\n" in result.stdout
    assert "--method auto does that" in result.stdout
    assert "tol" not in result.stdout
