"""The pictures of the view "patch": how much each head restores, as maps and as columns."""

from collections.abc import Mapping

import numpy as np

from core.analysis.effects.patching import PatchingStudy
from pages.frame.text import ATTENTIONS, _
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix, numbered


def maps(study: PatchingStudy) -> Matrices:
    """Return one matrix for each kind of attention: layers × heads, and all heads together."""
    kinds = list(dict.fromkeys(site.attention for site in study.sites))
    n_heads = 1 + max(head.index for head in study.heads)
    panels = []
    for kind in kinds:
        sites = [site for site in study.sites if site.attention is kind]
        shares = [
            [*(study.heads[head] for head in site.heads(n_heads)), study.sites[site]]
            for site in sites
        ]
        labels = [TokenLabel(str(head)) for head in range(n_heads)]
        panels.append(
            Matrix(
                title=_("{kind}: share restored").format(kind=ATTENTIONS[kind]),
                values=np.array(shares, np.float32),
                rows=numbered(_("layer"), len(sites)),
                columns=Axis(name=_("head"), labels=(*labels, TokenLabel(_("all")))),
                scale="signed",
                texts=[[_short(share) for share in row] for row in shares],
                value_name=_("share restored"),
            )
        )
    return Matrices(panels=panels)


def columns(study: PatchingStudy) -> Mapping[str, list[object]]:
    """Return one row for each head, and one for all heads of a sublayer."""
    heads = [(str(head.site), str(head.index), share) for head, share in study.heads.items()]
    sites = [(str(site), "all", share) for site, share in study.sites.items()]
    rows = [*heads, *sites]
    return {
        "site": [site for site, _head, _share in rows],
        "head": [head for _site, head, _share in rows],
        "restored": [share for _site, _head, share in rows],
    }


def _short(share: float) -> str:
    """Return a share as it stands in a cell; −0.00 is 0."""
    return f"{round(share, 2) + 0.0:.2f}".replace("-", "−")
