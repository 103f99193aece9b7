"""How long what a model read and wrote is."""

from core.inspection import Inspection
from pages.frame.language import _, n_, number


def size(inspection: Inspection) -> str:
    """Return how long source and target are, or a prompt and what follows, and how long it took.

    Special tokens count, as they have rows and columns in every map.
    """
    n_source, n_fed = len(inspection.source_tokens), len(inspection.fed_tokens)
    milliseconds = number(1000 * inspection.seconds, 0)
    if not n_fed:
        text = n_("{n} token · {milliseconds} ms", "{n} tokens · {milliseconds} ms", n_source)
        return text.format(n=number(n_source), milliseconds=milliseconds)
    # Of a decoder alone all are a text.
    n_given = inspection.translation.n_given + 1
    lengths = (n_source, n_fed) if n_source else (n_given, n_fed - n_given)
    text = _("{source} → {target} tokens · {milliseconds} ms")
    if not n_source:
        text = _("tokens: {source} typed → {target} written · {milliseconds} ms")
    return text.format(
        source=number(lengths[0]), target=number(lengths[1]), milliseconds=milliseconds
    )
