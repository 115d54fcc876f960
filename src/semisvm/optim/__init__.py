"""Minimizers that know nothing of support vector machines."""

from semisvm.optim.budget import UNLIMITED, Budget, BudgetSpent
from semisvm.optim.conjugate_gradient import ConjugateGradient
from semisvm.optim.kernel_newton import KernelNewton
from semisvm.optim.lbfgs import LBFGS
from semisvm.optim.levenberg_marquardt import LevenbergMarquardt
from semisvm.optim.minimizer import Minimizer
from semisvm.optim.newton_cg import NewtonCG

__all__ = [
    "LBFGS",
    "UNLIMITED",
    "Budget",
    "BudgetSpent",
    "ConjugateGradient",
    "KernelNewton",
    "LevenbergMarquardt",
    "Minimizer",
    "NewtonCG",
]
