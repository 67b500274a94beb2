"""How to cite the method and the software."""

from linkprior._version import __version__

CITATION = (
    "Q. Tang, L. Tu, W. Wang, J. Xu: Network Inference by Learned Node-Specific Degree Prior.\n"
    f"Software: linkprior {__version__}, the linkprior developers, 2026 (CITATION.cff)."
)
