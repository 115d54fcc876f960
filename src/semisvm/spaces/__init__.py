"""Spaces of functions: linear, full kernel, mapped features, graph-deformed, centered."""

from semisvm.geometry.landmarks import kmeans_landmarks, random_landmarks
from semisvm.spaces.centered import Centered
from semisvm.spaces.constant import ConstantFeature, ConstantKernel, with_constant
from semisvm.spaces.deformed import Deformed, deform
from semisvm.spaces.full import Full
from semisvm.spaces.linear import Linear
from semisvm.spaces.mapped import KernelMap, LinearMap, Mapped
from semisvm.spaces.predictor import KernelPredictor, LinearPredictor, Predictor
from semisvm.spaces.reduced import cholesky_map, eigen_map, reduced_set
from semisvm.spaces.space import Space
from semisvm.spaces.sparse_gram import SparseGram

__all__ = [
    "Centered",
    "ConstantFeature",
    "ConstantKernel",
    "Deformed",
    "Full",
    "KernelMap",
    "KernelPredictor",
    "Linear",
    "LinearMap",
    "LinearPredictor",
    "Mapped",
    "Predictor",
    "Space",
    "SparseGram",
    "cholesky_map",
    "deform",
    "eigen_map",
    "kmeans_landmarks",
    "random_landmarks",
    "reduced_set",
    "with_constant",
]
