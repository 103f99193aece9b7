"""Maps and matrices as they are for whoever reads another language than English."""

from dataclasses import replace

from pages.frame.components import _COMPONENTS, _maps
from tests.browser.apps.maps_cases import CASES
from tests.browser.apps.matrices_cases import CASES as MATRICES
from viz.plane import matrices
from viz.plane.maps import pack

NTH = {"nth.other": "{n}.", "labels": "jede {nth}"}
texts = {"grid": "Alle {n} Köpfe", "grid.one": "Der eine Kopf", **NTH}
maps = replace(CASES["known"](), texts=texts)
_maps(key="maps", data=pack(maps, key="maps", locale="de"))
for case in ("known", "long"):
    shown = replace(MATRICES[case](), texts=NTH)
    _COMPONENTS[matrices.Matrices].mount(key=case, data=matrices.pack(shown, key=case, locale="de"))
