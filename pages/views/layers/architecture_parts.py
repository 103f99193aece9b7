"""The layers lesson: the parts of the model, and how many parameters they have."""

from collections.abc import Callable

import streamlit as st

from core.model.attention import MultiHeadAttention, attend
from core.model.description import TABLE_3, Part, by_kind, parts
from core.model.layers import FeedForward, Residual
from core.model.positional import Embedding, sinusoids
from core.model.transformer import Transformer
from pages.frame import clicks, lesson, session
from pages.frame import lesson_controls as lesson_controls
from pages.frame.charts import chart
from pages.frame.components import architecture
from pages.frame.lesson import Explanation
from pages.frame.opening import Opened
from pages.frame.text import _, percent, plain
from viz.architecture import DEFAULT_ARCHITECTURE_TEXTS, Architecture
from viz.charts.bars import bars
from viz.charts.curves import Quantity

FORMULAS = {
    "embedding": r"x_t = \sqrt{d_{model}}\; E_{w_t}",
    "positions": r"x_t \mathrel{+}= PE_t",
    "self": r"\mathrm{Concat}(head_1 \dots head_h)\, W^O,\quad head_i = "
    r"\mathrm{softmax}\!\left(\tfrac{Q_i K_i^\top}{\sqrt{d_k}} + M\right) V_i,"
    r"\quad Q_i, K_i, V_i = x W_i^Q, x W_i^K, x W_i^V",
    "cross": r"\mathrm{Concat}(head_1 \dots head_h)\, W^O,\quad head_i = "
    r"\mathrm{softmax}\!\left(\tfrac{Q_i K_i^\top}{\sqrt{d_k}} + M\right) V_i,"
    r"\quad Q_i = x W_i^Q,\ K_i = memory\, W_i^K,\ V_i = memory\, W_i^V",
    "feed_forward": r"\max(0,\, x W_1 + b_1)\, W_2 + b_2",
    "norm": r"\frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} \odot g + b",
    "output": r"z = W x \quad (W = E \text{ where the matrices are shared})",
    "softmax": r"p_i = \frac{e^{z_i}}{\sum_j e^{z_j}}",
}
CODE: dict[str, tuple[type | Callable[..., object], ...]] = {
    "embedding": (Embedding,),
    "positions": (Embedding, sinusoids),
    "self": (MultiHeadAttention, attend),
    "cross": (MultiHeadAttention, attend),
    "feed_forward": (FeedForward,),
    "norm": (Residual,),
    "output": (Transformer,),
    "softmax": (Transformer,),
}


def parts_of_model(opened: Opened) -> None:
    """Draw the architecture with one part chosen, and say what there is to know of it."""
    config = opened.run.settings.model
    inspection = opened.inspection
    found = parts(config, len(inspection.source_tokens), len(inspection.fed_tokens))
    left, right = st.columns([6, 5], gap="large")
    with right:
        chosen = lesson_controls.part([part.id for part in found], "encoder.0.self")
        part = next(part for part in found if part.id == chosen)
        _facts(part, found)
    with left:
        architecture(
            Architecture(
                n_encoder_layers=config.n_encoder_layers,
                n_decoder_layers=config.n_decoder_layers,
                norm=config.norm,
                tied=config.tied,
                selected=part.id,
                details={part.id: _sizes(part.shapes[-1][1]) for part in found},
                texts={name: _(text) for name, text in DEFAULT_ARCHITECTURE_TEXTS.items()},
            ),
            key=session.DIAGRAM,
            on_pick=clicks.take_part,
        )
    lesson.explained(
        Explanation(
            formula=FORMULAS[part.kind],
            tries=(
                _("Click through a layer from the bottom up: what goes in comes out as wide."),
                _(
                    "Type a longer sentence: scores grow with the square of its length, parameters "
                    "do not grow at all."
                ),
                _(
                    "Compare cross-attention with self-attention: the same weights in number, keys "
                    "and values from another sequence."
                ),
            ),
            code=_code(part, config.positions),
        )
    )


def _code(part: Part, positions: str) -> tuple[type | Callable[..., object], ...]:
    """Return what computes a part; a table that was learned is no formula."""
    learned = part.kind == "positions" and positions == "learned"
    return (Embedding,) if learned else CODE[part.kind]


def _facts(part: Part, found: tuple[Part, ...]) -> None:
    """Say what one part costs, and what shapes go through it."""
    parameters = sum(each.parameters for each in found)
    work = sum(each.multiply_adds for each in found)
    shared = _("shared with the source embedding") if _is_copy(part) else ""
    st.table(
        {
            _("what"): [
                _("parameters"),
                _("multiply–adds for this sentence"),
                *(
                    _("shape: {name}").format(name=name.replace("_", " "))
                    for name, _s in part.shapes
                ),
            ],
            _("how many"): [
                shared or _of_all(part.parameters, parameters),
                _of_all(part.multiply_adds, work),
                *(_sizes(sizes) for name, sizes in part.shapes),
            ],
        },
        border="horizontal",
        hide_index=True,
        hide_header=True,
    )
    st.caption(
        _(
            "The whole model: {parameters:,} parameters, {work:,} multiply–adds for one pass. Only "
            "matrix products are counted as work."
        ).format(parameters=parameters, work=work)
    )


def _is_copy(part: Part) -> bool:
    return part.kind in ("embedding", "output") and part.parameters == 0


def _of_all(count: int, total: int) -> str:
    return f"{count:,}" if count == 0 else f"{count:,} ({percent(count / total)})"


def _sizes(sizes: tuple[int, ...]) -> str:
    return " × ".join(str(size) for size in sizes)


def counts(opened: Opened) -> None:
    """Show how many parameters each kind of part has, here and in the paper's models."""
    own = opened.run.settings.model
    names = [opened.path.name, *(row.name for row in TABLE_3)]
    configs = [own, *(row.config for row in TABLE_3)]
    groups = [by_kind(parts(config, 1, 1)) for config in configs]
    totals = [sum(each.values()) for each in groups]
    share = lesson_controls.as_share()
    series = {
        _(group): [
            each[group] / (total if share else 1e6)
            for each, total in zip(groups, totals, strict=True)
        ]
        for group in groups[0]
    }
    chart(
        bars(
            series,
            names,
            value=Quantity(_("share of the parameters"), share=True)
            if share
            else Quantity(_("millions of parameters")),
            title=_("Parameters of this model and of the paper's, by kind of part"),
            stacked=True,
        )
    )
    st.caption(
        _(
            "The paper's models with a joint vocabulary of 41,000 pieces, with which all ten "
            "counts published for base, B and C come out; “big” fits neither this nor the 37,000 "
            "usually quoted. Perplexity and BLEU are the paper's, on newstest2013."
        )
    )
    table = {
        _("model"): [plain(names[0]), *names[1:]],
        _("millions"): [f"{total / 1e6:.1f}" for total in totals],
        _("published"): ["", *(str(row.millions or "") for row in TABLE_3)],
        _("perplexity"): ["", *(f"{row.perplexity:.2f}" for row in TABLE_3)],
        "BLEU": ["", *(f"{row.bleu:.1f}" for row in TABLE_3)],
        "dropout": [f"{config.dropout:g}" for config in configs],
        "ε_ls": [
            f"{opened.run.settings.training.label_smoothing:g}",
            *(f"{row.label_smoothing:g}" for row in TABLE_3),
        ],
        _("steps"): [
            f"{opened.run.settings.training.steps:,}",
            *(f"{row.steps:,}" for row in TABLE_3),
        ],
    }
    lesson.numbers(
        "parameters",
        {
            "model": names,
            **{group: [each[group] for each in groups] for group in groups[0]},
            "published, millions": ["", *(row.millions or "" for row in TABLE_3)],
            "perplexity": ["", *(row.perplexity for row in TABLE_3)],
            "BLEU": ["", *(row.bleu for row in TABLE_3)],
        },
    )
    with st.expander(_("The whole table")):
        st.table(table, border="horizontal", hide_index=True)
    lesson.explained(
        Explanation(
            formula=r"\text{attention: } 2 d (h d_k + h d_v) + 2 h d_k + h d_v + d, \qquad "
            r"\text{feed-forward: } 2 d\, d_{f\!f} + d_{f\!f} + d, \qquad \text{norm: } 2 d",
            tries=(
                _("Rows A: the number of heads changes no count, as long as h·d_k stays d_model."),
                _("Rows B: narrower keys and queries save little, and cost quality."),
                _("Rows D: no label smoothing has the better perplexity and the worse BLEU."),
            ),
            code=(parts, by_kind),
        )
    )
