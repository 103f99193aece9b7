"""What is said about the stages of a head."""

import math
from collections.abc import Mapping

from core.analysis.heads.stages import Stage
from core.analysis.heads.steps import HeadSteps
from core.analysis.heads.terms import Terms, shares_of_heads
from pages.frame.text import _, plain

HOW_TO_READ = _(
    """
- The buttons lead through one head step by step, from what it is given to what it adds. What comes
  out of a step goes into the next: *q* and *k* make *q·k*, the weights of *softmax* mix the values
  *v*.
- The **first** matrix is the result: what the step makes. Click one of its cells, and below stands
  how that number came about, term by term. A click on what goes in chooses a row or a column of it.
- Until you click, the cells are those of the pair of words with the largest weight (but for a word
  that looks at itself), and of vectors the number that weighs most for that pair. When you go on,
  the pair stays.
- All numbers are those of the model's own pass over the sentence; nothing is rounded but what is
  shown. Weights go from 0 to 1; everything else has its own scale, written below.
- Vectors have no names for their numbers: *dimension 7* means nothing by itself. What means
  something is which vectors point the same way.
"""
)


def explained(steps: HeadSteps, stage: Stage) -> str:
    """Return what happens in a stage, in a sentence or two."""
    hides = stage is Stage.MASK and not steps.visible_QK.all()
    first = steps.head.index * steps.d_v
    return (_HIDDEN if hides else _TEXTS[stage]).format(
        given=_given(steps, stage),
        d_model=steps.query.given_KD.shape[1],
        d_k=steps.d_k,
        d_v=steps.d_v,
        root=f"{steps.divisor:.3g}",
        head=steps.head.index,
        n_heads=steps.n_heads,
        first=first,
        last=first + steps.d_v - 1,
    )


def _given(steps: HeadSteps, stage: Stage) -> str:
    if steps.memory_symbol == "m" and stage in (Stage.KEYS, Stage.VALUES):
        return _("what the encoder made of each source word, m")
    if steps.normed:
        return _("each word's vector x, the stream after LayerNorm")
    return _("each word's vector x, as the stream brings it")


def digits(number: float) -> str:
    """Return a number with three digits and a true minus, as the matrices write them.

    >>> digits(-0.056149), digits(float("-inf")), digits(1.0), digits(123456.0), digits(0.0)
    ('−0.0561', '−∞', '1.00', '123456', '0')
    """
    if number == 0:
        return "0"
    whole = abs(number) >= 1000 or math.isinf(number)
    text = f"{number:.0f}" if whole else f"{number:#.3g}".removesuffix(".")
    return text.replace("-", "−").replace("inf", "∞")


def equation(found: Terms) -> str:
    """Return in one line how a number came about, as Markdown."""
    return _equation(found, *map(plain, found.names), total=f"**{digits(found.recorded)}**")


def written(found: Terms) -> str:
    """Return in one line how a number came about, as text."""
    return _equation(found, *found.names, total=digits(found.recorded))


def _equation(found: Terms, name: str, left: str, right: str, *, total: str) -> str:
    match found.rule:
        case "sum":
            offset = "" if found.bias is None else " + b"
            sums = "" if found.bias is None else f"{digits(found.sum)} + {digits(found.bias)} = "
            return f"{name} = {left} · {right}{offset} = {sums}{total}"
        case "quotient":
            numbers = f"{digits(found.left_N[0])} / {digits(found.right_N[0])}"
            return f"{name} = {left} / {right} = {numbers} = {total}"
        case "mask":
            kept = _("visible, so the score stays") if found.right_N[0] else _("hidden, so it is")
            return f"{name}: {kept} {total}"
        case "share":
            power = digits(found.right_N[found.column])
            whole = digits(found.right_N.sum())
            most = digits(found.left_N.max())
            most = f"({most})" if most.startswith("−") else most
            score = f"{digits(found.left_N[found.column])} − {most}"
            return f"{name} = e^({score}) / Σ = {power} / {whole} = {total}"
    return f"{name} = {left} = {total}"


def terms_title(found: Terms, shown: int, about: str) -> str:
    """Return what the picture of a number's terms shows.

    Args:
        found: The number.
        shown: So many of its terms are in the picture.
        about: What the number is about.
    """
    n = len(found.terms_N)
    if n == 1:
        return f"{found.names[0]}, {about}"
    if shown == n:
        text = _("all {n} shares") if found.rule == "share" else _("all {n} products")
    elif found.rule == "share":
        text = _("the {k} largest of {n} shares")
    else:
        text = _("the {k} largest of {n} products")
    return f"{found.names[0]}, {about}: " + text.format(k=shown, n=n)


def about_terms(steps: HeadSteps, stage: Stage, cell: tuple[int, int], found: Terms) -> str:
    """Return what there is to say about a number beside its terms."""
    if found.rule == "share":
        text = _(
            "From every score the row's largest, {most}, is taken off first: all shares stay, and "
            "no power of e gets too large for a computer."
        )
        return text.format(most=digits(found.left_N.max()))
    if stage is Stage.OUTPUT:
        shares = shares_of_heads(steps, *cell)
        each = ", ".join(f"{head}: {digits(share)}" for head, share in enumerate(shares))
        text = _("What each head gives to it: {each}; the bias gives {bias}.")
        return text.format(each=each, bias=digits(found.bias or 0.0))
    return ""


_TEXTS: Mapping[Stage, str] = {
    Stage.QUERIES: _(
        "**Queries.** From {given} ({d_model} numbers), the W^Q of head {head} makes a query of "
        "{d_k} numbers: what the word is looking for."
    ),
    Stage.KEYS: _(
        "**Keys.** From {given} ({d_model} numbers), the W^K of head {head} makes a key of {d_k} "
        "numbers: what the word can be found by."
    ),
    Stage.VALUES: _(
        "**Values.** From {given} ({d_model} numbers), the W^V of head {head} makes a value of "
        "{d_v} numbers: what the word gives when it is found."
    ),
    Stage.PRODUCTS: _(
        "**Compare.** Every query meets every key in a dot product: {d_k} numbers times {d_k} "
        "numbers, added up. It is large where both vectors point the same way."
    ),
    Stage.SCALE: _(
        "**Divide.** The more products are added, the larger the sums get, and large scores let "
        "the softmax listen to one word alone. So all are divided by √{d_k} = {root}."
    ),
    Stage.MASK: _(
        "**Mask.** Nothing is hidden here: every word may look at every one, and a sentence alone "
        "has no padding. So all scores stay as they are."
    ),
    Stage.SOFTMAX: _(
        "**Softmax.** Each row of scores becomes weights: e to the power of each score, divided by "
        "the sum of the row. So a row sums to 1, and −∞ becomes 0."
    ),
    Stage.MIX: _(
        "**Mix.** Each word takes the values of all words it looks at, each in proportion to its "
        "weight: a weighted mean of the rows of v, {d_v} numbers again."
    ),
    Stage.CONCATENATE: _(
        "**Side by side.** What the {n_heads} heads mixed is put one after the other, nothing is "
        "computed: head {head} fills the columns {first} to {last}."
    ),
    Stage.OUTPUT: _(
        "**Back to the stream.** W^O makes {d_model} numbers again: each head gives a term of its "
        "own, and the sum of all terms and the bias is added to the stream."
    ),
}
_HIDDEN = _(
    "**Mask.** No word may look at words that come after it: there −∞ takes the place of the "
    "score, of which the softmax will make exactly 0. All other scores stay."
)
