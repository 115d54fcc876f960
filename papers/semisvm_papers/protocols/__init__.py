"""How a method is measured, one file per protocol."""

from semisvm_papers.protocols.five_fold import FiveFold
from semisvm_papers.protocols.followed import Followed
from semisvm_papers.protocols.inductive import Inductive
from semisvm_papers.protocols.labeled_alone import LabeledAlone
from semisvm_papers.protocols.pairwise import Pairwise
from semisvm_papers.protocols.retrained import PartlyLabeled, Retrained
from semisvm_papers.protocols.sensitivity import Sensitivity
from semisvm_papers.protocols.sweep import Sweep
from semisvm_papers.protocols.transductive import Transductive

__all__ = [
    "FiveFold",
    "Followed",
    "Inductive",
    "LabeledAlone",
    "Pairwise",
    "PartlyLabeled",
    "Retrained",
    "Sensitivity",
    "Sweep",
    "Transductive",
]
