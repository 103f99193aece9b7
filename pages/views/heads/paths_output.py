"""What a path does to the output, beside what its sender does: as a picture and in words."""

from core.heads import Head
from core.runs.run import Run
from core.studies.effects.path_study import NextToken, PathOutcomes
from pages.frame import notes
from pages.frame.language import _, number, percent, plain
from pages.frame.listed import joined
from pages.views.heads.paths_maps import Paths
from viz.charts.curves import Chart, Quantity
from viz.charts.intervals import Measured, intervals

WEAK = 0.01
"""A path that changes the chance of what is written by less is a weak one."""


def is_weak(outcomes: PathOutcomes) -> bool:
    """Say whether a path alone hardly changes what is written."""
    return outcomes.path.stays and abs(outcomes.path.chance - outcomes.clean.chance) < WEAK


def bars(paths: Paths, outcomes: PathOutcomes) -> Chart:
    """Return the chance of what is written, row by row the more is changed."""
    one, other = paths.difference or (_("first"), _("second"))
    rows = {
        _("as it is (“{said}”)").format(said=one): outcomes.clean,
        _("B alone reads A’s “{said}”").format(said=other): outcomes.path,
        _("all readers get A’s “{said}”").format(said=other): outcomes.exchanged,
        _("A silenced"): outcomes.silenced,
        _("whole sentence with “{said}”").format(said=other): outcomes.other,
    }
    return intervals(
        [
            Measured(name, each.chance, float("-inf"), float("inf"), note=_instead(each))
            for name, each in rows.items()
        ],
        value=Quantity(_("chance"), share=True, domain=(0.0, 1.0)),
        of_each="",
        write=percent,
        title=_("How likely the output is “{token}”").format(token=paths.study.token.text),
    )


def _instead(outcome: NextToken) -> str:
    return "" if outcome.stays else _("writes “{token}”").format(token=outcome.chosen.text)


def verdict(paths: Paths, outcomes: PathOutcomes) -> str:
    """Say in Markdown whether the path alone changes what is written.

    Args:
        paths: All of them.
        outcomes: What comes of the chosen one.
    """
    clean, path, exchanged = outcomes.clean, outcomes.path, outcomes.exchanged
    before, after = percent(clean.chance), percent(path.chance)
    said = {
        **{"token": plain(paths.study.token.text), "chosen": plain(path.chosen.text)},
        **{"before": before, "after": after, "all": plain(exchanged.chosen.text)},
    }
    if not path.stays:
        text = _("**Through B alone the output changes from “{token}” to “{chosen}”.**")
        return text.format(**said)
    alone = _("**Through B alone the output stays “{token}”** ({after}, before {before}).")
    if before == after:
        alone = _("**Through B alone the output stays “{token}”** ({after}, as before).")
    whole = "" if exchanged.stays else _("**Through all readers of A it becomes “{all}”.**")
    return joined([alone.format(**said), whole.format(**said)])


def beyond(paths: Paths, outcomes: PathOutcomes) -> str:
    """Say in Markdown what becomes of the output where all readers are given the message, or none.

    Silencing may change what the path leaves, and the other way round: so both are explained.
    """
    exchanged, silenced = outcomes.exchanged, outcomes.silenced
    if exchanged.stays:
        text = _(
            "Given to **all** its readers, the message leaves the output “{token}” ({chance})."
        )
    elif outcomes.path.stays:
        text = _("A’s message can flip the output, but not through B alone.")
    else:
        text = _("Given to **all** its readers, it changes the output to “{chosen}”, too.")
    said = [_filled(text, paths, exchanged)]
    text = _("With A **silenced**, no reader gets any message: then it changes to “{chosen}”.")
    if silenced.stays and exchanged.stays:
        text = _("With A **silenced**, it stays “{token}” ({chance}), too.")
    elif silenced.stays:
        text = _(
            "With A **silenced** it stays “{token}” ({chance}): no message is not the other "
            "message."
        )
    return joined([*said, _filled(text, paths, silenced)])


def held_out(run: Run, sender: Head) -> list[str]:
    """Say what silencing the sender costs on held-out sentences, and why else to doubt it."""
    said, effects = notes.about_head(run, sender), notes.stored(run)
    if effects is None or effects.of(sender).changes_nothing:
        return said
    change = effects.of(sender).exact_match
    text = _(
        "Silencing it takes exact match from {before} to {after} (95 % interval of the change: "
        "{low} to {high} points, n = {n}, seed {seed})."
    )
    figures = {
        **{"before": percent(change.before), "after": percent(change.after)},
        **{"low": number(100 * change.low), "high": number(100 * change.high)},
        **{"n": number(change.n), "seed": effects.seed},
    }
    return [*said, text.format(**figures)]


def _filled(text: str, paths: Paths, outcome: NextToken) -> str:
    return text.format(
        token=plain(paths.study.token.text),
        chosen=plain(outcome.chosen.text),
        chance=percent(outcome.chance),
    )
