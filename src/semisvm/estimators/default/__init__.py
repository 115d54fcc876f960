"""`S3VM()`, the default estimator, and what it is made of."""

from semisvm.estimators.default.estimator import S3VM

__all__ = ["S3VM"]
