"""Which settings act only beside others, and what stands for a number that follows from others."""

from collections.abc import Callable, Mapping

from pages.frame.language import _, n_, number

Value = bool | int | float | str
Condition = Mapping[str, tuple[Value, ...]]
"""Setting → the values of which it has one; of several settings one is enough."""

_ROTARY: Condition = {"positions": ("rotary",)}
_RELATIVE: Condition = {"positions": ("buckets",)}
_SINUSOIDS: Condition = {"positions": ("sinusoidal", "halves")}
_ATTENDS: Condition = {
    "encoder_mixing": ("attention",),
    "decoder_mixing": ("attention",),
    "cross": ("attention",),
}
_FEEDS_FORWARD: Condition = {"feed_forward": (True,)}
_PROJECTS: Condition = {"projections": (True,)}
_CAUSAL: Condition = {"decoder": ("causal",)}
_CROSS_ENTROPY: Condition = {"objective": ("cross_entropy",)}
_REWARDS: Condition = {"objective": ("minimum_risk", "self_critical", "reinforce")}

NEEDS: Mapping[str, tuple[Condition, ...]] = {
    "sinusoid_base": (_SINUSOIDS,),
    "rotary_base": (_ROTARY,),
    "rotary_pairs": (_ROTARY,),
    "n_buckets": (_RELATIVE,),
    "max_distance": (_RELATIVE,),
    "scores": (_ATTENDS,),
    "score_scale": (_ATTENDS, {"scores": ("dot",)}),
    "shared": (_ATTENDS, _PROJECTS),
    "projections": (_ATTENDS,),
    "output_projection": (_ATTENDS,),
    "d_k": (_ATTENDS,),
    "d_v": (_ATTENDS,),
    "n_kv_heads": (_ATTENDS,),
    "attention_bias": (_ATTENDS, {**_PROJECTS, "output_projection": (True,)}),
    "norm": ({"norm_kind": ("layer", "rms", "batch")},),
    "norm_eps": ({"norm_kind": ("layer", "rms", "batch")},),
    "d_ff": (_FEEDS_FORWARD,),
    "activation": ({**_FEEDS_FORWARD, "head_transform": (True,)},),
    "gated": (_FEEDS_FORWARD,),
    "ff_bias": (_FEEDS_FORWARD,),
    "cross": ({"decoder_mixing": ("gru", "lstm")},),
    "memory": ({"decoder_mixing": ("attention", "average", "convolution", "none")},),
    "length": ({"decoder": ("parallel",)},),
    "pointer": ({"cross": ("attention",)},),
    "teacher_forcing": (_CAUSAL, _CROSS_ENTROPY),
    "scheduled_sampling": (_CAUSAL, _CROSS_ENTROPY, {"teacher_forcing": (True,)}),
    "objective": (_CAUSAL,),
    "reward": (_REWARDS,),
    "samples": (_REWARDS,),
    "alpha": ({"objective": ("minimum_risk",)},),
}
"""Setting → what it needs, all of it, to change anything; the others always do."""


def missing(name: str, values: Mapping[str, Value]) -> tuple[Condition, ...]:
    """Return what a setting needs and does not have.

    Args:
        name: The setting's.
        values: All settings by name.
    """
    return tuple(
        condition
        for condition in NEEDS.get(name, ())
        if not any(values[other] in wanted for other, wanted in condition.items())
    )


def _width_of_a_head(values: Mapping[str, Value]) -> str:
    heads = int(values["n_heads"])
    return _auto(int(values["d_model"]) // heads) if heads > 0 else _("auto")


def _auto(n: int) -> str:
    return _("auto: {n}").format(n=number(n))


def _pairs(n: int) -> str:
    return n_("{n} pair", "{n} pairs", n).format(n=number(n))


AUTOMATIC: Mapping[str, Callable[[Mapping[str, Value]], str]] = {
    "d_k": _width_of_a_head,
    "d_v": _width_of_a_head,
    "n_kv_heads": lambda values: _auto(int(values["n_heads"])),
    "batch_tokens": lambda values: _pairs(int(values["batch_size"])),
}
"""Setting that is 0 where it follows from others → what it is then."""
