"""Two heads that look, side by side: what the pictures and the sentences about them start from."""

from dataclasses import dataclass, replace

from core.analysis.heads.comparison import Alignment, Comparison, Difference, compare, difference
from pages.frame.selection import Looked, key_labels, query_labels
from pages.frame.text import _
from pages.views.attention.compare_other import Other
from viz.component.payload import TokenLabel


@dataclass(frozen=True, slots=True)
class Compared:
    """Two heads that look, and how they differ."""

    looked: Looked
    other: Other
    comparison: Comparison
    difference: Difference

    @property
    def queries(self) -> Alignment:
        """The pairs of tokens that look."""
        return self.comparison.queries(self.looked.kind)

    @property
    def keys(self) -> Alignment:
        """The pairs of tokens looked at."""
        return self.comparison.keys(self.looked.kind)

    @property
    def names(self) -> tuple[str, str]:
        """What the two are called: two models, or two sentences."""
        return self.other.names or (_("first sentence"), _("second sentence"))


def compared(looked: Looked, other: Other) -> Compared:
    """Return the two heads with how they differ."""
    found = compare(looked.inspection, other.inspection)
    return Compared(looked, other, found, difference(found, looked.head, other.head))


def paired_labels(shown: Compared, *, of_keys: bool) -> tuple[TokenLabel, ...]:
    """Return what each pair of queries or keys is called: both tokens where they differ."""
    alignment = shown.keys if of_keys else shown.queries
    labels = key_labels if of_keys else query_labels
    first = labels(shown.looked.inspection, shown.looked.kind)
    second = labels(shown.other.inspection, shown.looked.kind)
    differing = set(alignment.differing(0))
    return tuple(
        replace(first[one], text=f"{first[one].text} | {second[other].text}", continues=False)
        if one in differing
        else first[one]
        for one, other in zip(alignment.first, alignment.second, strict=True)
    )
