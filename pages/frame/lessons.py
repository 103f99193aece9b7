"""Which view teaches what an experiment tests: links there and back."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from core.runs.run import Run
from core.studies.experiments import EXPERIMENTS
from pages.frame import address, cached, links, session
from pages.frame.language import N_, _
from pages.frame.needs import Need, missing

EXPERIMENT = "experiment"
"""In the URL of the page of experiments."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A view that shows what a claim is about."""

    page: str
    """Its address; empty for the first page."""
    choice: str
    """By which the page's views are chosen, in the URL."""
    view: str
    shown: Mapping[str, str] = field(default_factory=dict)
    """What it opens with besides, the run where not every one shows it."""


LESSONS: Mapping[str, Lesson] = {
    "bottleneck": Lesson("", "view", "lines"),
    "reading": Lesson("", "view", "maps", {"other": "sentence"}),
    "distance": Lesson("heads", "trial", "attribution"),
    "order": Lesson("lessons", "lessons", "shuffle"),
    "embedding": Lesson("lessons", "lessons", "embedding"),
    "mixing": Lesson("lessons", "lessons", "mixing"),
    "heads": Lesson("", "view", "maps"),
    "projections": Lesson("", "view", "steps"),
    "scale": Lesson("lessons", "lessons", "scaling"),
    "linear": Lesson("", "view", "steps"),
    "residuals": Lesson("lessons", "lessons", "layers"),
    "depth": Lesson("lessons", "lessons", "layers"),
    "norms": Lesson("lessons", "lessons", "norm"),
    "memory": Lesson("lessons", "lessons", "parts"),
    "forcing": Lesson("lessons", "lessons", "exposure"),
    "metric": Lesson("decoding", "decoding", "steps", {"part": "output"}),
    "guide": Lesson("", "view", "maps", {"model": "translate-guided", "other": "model"}),
    "vocabulary": Lesson("", "view", "maps", {"how": "largest"}),
    "parallel": Lesson("decoding", "decoding", "steps", {"model": "parallel"}),
    "copying": Lesson("decoding", "decoding", "steps", {"part": "copying", "model": "copying"}),
}
"""Experiment → the view."""
_STEPS = N_("step by step"), Lesson("decoding", "decoding", "steps")
_ROLES = N_("roles"), Lesson("heads", "trial", "roles")
_INSTEAD: Mapping[Need, tuple[str, Lesson]] = {
    Need.NEXT: _STEPS,
    Need.TASK: _ROLES,
    Need.TEXTS: _ROLES,
}
"""What a model lacks → the view that shows something of it all the same, and its name."""


def link_to_lesson(experiment: str) -> None:
    """Link from an experiment to the view that shows what its claim is about."""
    if lesson := LESSONS.get(experiment):
        links.link(
            lesson.page,
            _("See it in a model"),
            ":material/visibility:",
            {lesson.choice: lesson.view, **lesson.shown},
        )


def link_to_experiment(choice: str, view: str) -> None:
    """Link from a view, shown as its lesson opens it, to the experiment that tests it, if any."""
    for name, lesson in LESSONS.items():
        shows = all(address.text_of(each) == text for each, text in lesson.shown.items())
        if (lesson.choice, lesson.view) == (choice, view) and shows:
            label = _("Tested: {question}").format(question=_(EXPERIMENTS[name].question))
            links.link("experiments", label, ":material/labs:", {EXPERIMENT: name})


def link_to_what_applies(run: Run, sentence: str, needs: Collection[Need]) -> None:
    """Link from a view that does not apply to a run to the one that its notice names, if any.

    Args:
        run: The run, which the view is opened with.
        sentence: As typed; the view is opened with it, too.
        needs: What the view needs that does not apply.
    """
    need = missing(run.settings, needs)
    if need is None or need not in _INSTEAD:
        return
    name, lesson = _INSTEAD[need]
    shown = {lesson.choice: lesson.view, session.SENTENCE: sentence}
    model = next((name for name, path in cached.run_paths().items() if path == run.path), "")
    links.link(lesson.page, _(name), ":material/visibility:", {**shown, session.MODEL: model})
