"""How long the two vectors are that the embedding adds up, token by token."""

from core.config import ConfigError
from core.model.positional import Embedding
from core.studies.lessons import positions
from pages.frame import cached, snippets
from pages.frame.charts import chart
from pages.frame.controls import amount
from pages.frame.language import _, n_, number
from pages.frame.opening import Opened
from pages.frame.view import Columns, Shown, saying_why
from pages.views.positions import controls
from viz.charts.bars import bars
from viz.charts.curves import Chart, Quantity
from viz.direction import isolated

TOKENS_DRAWN = 14
"""So many fit on the first screen."""
FORMULAS = {
    "sinusoidal": r"x_p = \sqrt{d_{model}}\; e_{token} + \mathrm{PE}(p), \qquad "
    r"\lVert \mathrm{PE}(p) \rVert = \sqrt{\tfrac{d_{model}}{2}}",
    "learned": r"x_p = \sqrt{d_{model}}\; e_{token} + P_p, \qquad P_p \text{ is learned}",
}
"""What is added, by the kind of a model's positions."""


@saying_why(ConfigError)
def draw(opened: Opened) -> Shown:
    """Draw the lengths of the token's vector, before and after scaling, and of the position's."""
    found = cached.of_run(positions.norms, opened.path, opened.sentence)
    n_tokens, first = len(found.tokens), 0
    if n_tokens > TOKENS_DRAWN:
        with controls.row():
            first = amount(_("First token"), "pe_token", 0)
        first = max(0, min(first, n_tokens - TOKENS_DRAWN))
    picture = chart(_bars(found, slice(first, first + TOKENS_DRAWN)))
    config = opened.run.settings.model
    begun = snippets.loading(opened.path, "from core.studies.lessons.positions import norms")
    return Shown(
        name="position_norms",
        title=_("How long the two vectors are that are added, token by token"),
        numbers=lambda: _numbers(found),
        seen=_said(found, config.d_model),
        python=begun
        + f"found = norms(run, {snippets.quoted(opened.sentence)})\n"
        + "numbers = [found.plain_S, found.scaled_S, found.positions_S]\n",
        code=[positions.norms, Embedding],
        pictures=[picture],
        formula=FORMULAS["learned" if config.positions == "learned" else "sinusoidal"],
        tries=[
            _("Another model: the norm of sinusoids is √(d_model / 2), wherever they stand."),
            _("Other words: are the vectors of rare ones longer or shorter?"),
        ],
    )


def _bars(found: positions.Norms, part: slice) -> Chart:
    series = {
        _("token"): found.plain_S,
        _("token × √d_model"): found.scaled_S,
        _("position"): found.positions_S,
    }
    texts = [f"{place} {isolated(token.text)}" for place, token in enumerate(found.tokens)]
    return bars(
        {name: norms_S[part].tolist() for name, norms_S in series.items()},
        texts[part],
        value=Quantity(_("length of the vector (Euclidean norm)")),
        title=_("How long the two vectors are that are added, token by token"),
    )


def _said(found: positions.Norms, d_model: int) -> str:
    plain, scaled, position = found.means
    before, after = found.ratios
    return n_(
        "A position’s vector ({position}) is **{before}** times as long as the token’s ({plain}). "
        "Multiplied by √{d} the token’s becomes {scaled}, and the position’s is **{after}** times "
        "as long.",
        "A position’s vector ({position}) is **{before}** times as long as a token’s ({plain}). "
        "Multiplied by √{d} the token’s becomes {scaled}, and the position’s is **{after}** times "
        "as long: means over {n} tokens.",
        len(found.tokens),
    ).format(
        n=number(len(found.tokens)),
        d=number(d_model),
        plain=controls.short(plain),
        scaled=controls.short(scaled),
        position=controls.short(position),
        before=controls.short(before),
        after=controls.short(after),
    )


def _numbers(found: positions.Norms) -> Columns:
    return {
        "place": range(len(found.tokens)),
        "text": [token.text for token in found.tokens],
        "token": found.plain_S.tolist(),
        "token × √d_model": found.scaled_S.tolist(),
        "position": found.positions_S.tolist(),
    }
