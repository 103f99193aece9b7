"""What a path from one head to another changes, in words."""

import math

import numpy as np

from core.heads import Head, Kind
from core.studies.effects.path_patching import Read
from core.studies.effects.path_study import OnePath, PathOutcomes
from pages.frame.language import N_, _, brief, n_, number, percent, plain
from pages.frame.listed import joined
from pages.views.heads import paths_output
from pages.views.heads.paths_maps import Paths

_CLEARLY = 0.05
"""A weight that changes by less is not said to change."""


def seen(paths: Paths, found: OnePath, outcomes: PathOutcomes, read: Read) -> str:
    """Say in Markdown whether the chosen path decides what is written, then what it changes."""
    verdict = paths_output.verdict(paths, outcomes)
    return joined([verdict, _look(paths, found, read, weak=paths_output.is_weak(outcomes))])


def _look(paths: Paths, found: OnePath, read: Read, *, weak: bool) -> str:
    """Say what the writer reads there, and which look of the reader a path changes most."""
    names = {"reader": _within(found.receiver), "writer": _within(found.sender)}
    before, after = map(percent, _weights(found))
    if read != Read.VALUE and before == after:
        text = _("Whatever head A ({writer}) writes, head B ({reader}) looks where it did.")
        return text.format(**names)
    if read == Read.VALUE:
        text = _(
            "Head A ({writer}) writes, head B ({reader}) reads. {given}, B looks where it did, but "
            "takes other values from there."
        )
        return text.format(**names, given=_given(paths))
    text = _(
        "Head A ({writer}) writes what it finds at “{word}” into “{place}”. {given}, head B "
        "({reader}) looks from “{query}” at “{key}” with **{after}** instead of {before}."
    )
    if weak and abs(_change(found)) < _CLEARLY:
        text = _(
            "Head A ({writer}) writes what it finds at “{word}” into “{place}”. {given}, head B "
            "({reader}) looks nearly where it did."
        )
    elif weak:
        text = _(
            "Head A ({writer}) writes what it finds at “{word}” into “{place}”. {given}, head B "
            "({reader}) looks from “{query}” at “{key}” with **{after}** instead of {before}: "
            "where B looks changes, the output does not."
        )
    place, word = map(plain, paths.look(found.sender, found.sent_at, int(found.sent_K.argmax())))
    query, key = map(plain, paths.look(found.receiver, found.query, found.key))
    shares = {"before": before, "after": after}
    words = {"place": place, "word": word, "query": query, "key": key}
    return text.format(**names, **words, **shares, given=_given(paths))


def _given(paths: Paths) -> str:
    """Say what the reader is given instead: what is written of another word, where one differs."""
    if paths.difference is None:
        return _("Fed what A writes in the second sentence")
    text = _("Fed what A writes of “{other}”")
    return text.format(other=plain(paths.difference[1]))


def _weights(found: OnePath) -> tuple[float, float]:
    """Return the weight that a path changes most, before and after."""
    before, after = (
        float(weights_QK[found.query, found.key])
        for weights_QK in (found.before_QK, found.after_QK)
    )
    return before, after


def _change(found: OnePath) -> float:
    before, after = _weights(found)
    return after - before


_WITHIN = {
    Kind.ENCODER_SELF: N_("encoder layer {layer}, head {head}"),
    Kind.DECODER_SELF: N_("decoder layer {layer}, head {head}"),
    Kind.CROSS: N_("cross-attention layer {layer}, head {head}"),
}


def _within(head: Head) -> str:
    """Return what a head is called within a sentence."""
    return _(_WITHIN[head.kind]).format(layer=number(head.layer), head=number(head.index))


def _chances(found: OnePath) -> tuple[str, str]:
    """Return how the chance of what is written reads, before and after."""
    return percent(math.exp(found.before_log_p)), percent(math.exp(found.after_log_p))


def _effect(paths: Paths, found: OnePath) -> str:
    """Say how much of what the second sentence changes comes along the path."""
    study = paths.study
    (before, after), whole = _chances(found), percent(math.exp(study.other_log_p))
    text = _(
        "The chance of “{token}” goes from {before} to {after} (with the whole second sentence "
        "{whole})."
    )
    if before == after:
        text = _("“{token}” keeps its chance, {after} (with the whole second sentence {whole}).")
    return text.format(token=plain(study.token.text), before=before, after=after, whole=whole)


def small_print(paths: Paths, found: OnePath) -> str:
    """Say what becomes of the output, and where it was measured."""
    return joined([_rank(paths, found), _effect(paths, found), measured(paths)])


def _rank(paths: Paths, found: OnePath) -> str:
    """Say how many paths lead to the reader, and how many change more than the chosen one."""
    size_N = np.abs(paths.change_N)
    more = int((size_N > size_N[paths.study.senders.index(found.sender)]).sum())
    n = len(size_N)
    text = n_(
        "Of {total} paths {n} changes more than this one.",
        "Of {total} paths {n} change more than this one.",
        more,
    )
    if not more:
        text = n_("It is the only path.", "It is the strongest of {n} paths.", n)
        return text.format(n=number(n))
    return text.format(total=number(n), n=number(more))


def measured(paths: Paths) -> str:
    """Say where it was measured, and what is usual among all paths."""
    study = paths.study
    sizes = np.abs(paths.change_N[study.differs_N])
    median = float(np.median(sizes)) if sizes.size else 0.0
    written = _("{median} nats").format(median=brief(median)) if paths.by_log_p else percent(median)
    where = _("where the two outputs part") if study.part else _("where most changes")
    text = _(
        "Baseline: {n} of the {all} paths begin at a head that writes something else for the "
        "second sentence; the median of those is {median}. Measured at step {step}, {where}, "
        "after the same words: log p(“{token}”) is {clean} nats in the first sentence, {other} in "
        "the second. One pair of sentences (n = 1): an observation, not a law."
    )
    return text.format(
        n=number(int(study.differs_N.sum())),
        all=number(len(study.senders)),
        median=written,
        step=study.step,
        where=where,
        token=plain(study.token.text),
        clean=number(study.clean_log_p),
        other=number(study.other_log_p),
    )
