"""How a method is measured, one file per protocol."""

from semisvm.papers.protocols.five_fold import FiveFold
from semisvm.papers.protocols.followed import Followed
from semisvm.papers.protocols.inductive import Inductive
from semisvm.papers.protocols.labeled_alone import LabeledAlone
from semisvm.papers.protocols.pairwise import Pairwise
from semisvm.papers.protocols.retrained import PartlyLabeled, Retrained
from semisvm.papers.protocols.sensitivity import Sensitivity
from semisvm.papers.protocols.sweep import Sweep
from semisvm.papers.protocols.transductive import Transductive

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
