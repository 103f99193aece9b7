"""Writing the pages of a site: a run's examples, its texts in all languages, and its model."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from urllib.parse import quote

from core.inspection import inspect_sentence
from core.messages import Message, MessageError
from core.model import count_parameters
from core.runs.browser_model import BrowserModel, browser_model
from core.runs.files import about
from core.runs.run import Run, load_run
from core.studies.forward_pass import forward_pass
from core.studies.heads.findings import antecedent_head, first_pronoun, task_of
from core.tasks import Task
from pages.frame import APP_NAME, language, measured_on
from pages.frame.language import N_, _, number, translated
from pages.frame.notes import where_it_looks, within_sentence
from pages.frame.passes import on_reference, what_it_does, whole_of
from viz.live.live import DEFAULT_LIVE_TEXTS, SCRIPT, Example, LivePage, model_script, page_script
from viz.whole.whole import DEFAULT_WHOLE_TEXTS, pack

INDEX = "index"
"""The page of the first run."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A run with what a browser needs of it."""

    run: Run
    task: Task
    model: BrowserModel


def write_site(out: Path, paths: Sequence[Path]) -> int:
    """Write a page for each run in each language, their models and the script of all.

    Args:
        out: The folder; made where there is none.
        paths: Folders of runs, with different names; the first is the first page.

    Returns:
        How many bytes were written.

    Raises:
        RunError: A run is damaged, or a browser does not compute its model.
        MessageError: Two pages would have the same name.
    """
    names = [INDEX, *(path.name for path in paths)]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise MessageError(N_("two pages would have the name {name}"), name=twice)
    loaded = [_load(path) for path in paths]
    files = {SCRIPT: page_script()}
    for each in loaded:
        arrays = [*each.model.tensors, each.model.words]
        files[_model_file(each.run)] = model_script(each.model.header, arrays)
    for tongue in language.languages():
        for at, each in enumerate(loaded):
            make = partial(_page, at, loaded)
            files[_address(at, each.run.name, tongue)] = language.in_language(tongue, make)
    out.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (out / name).write_text(content, "utf-8")
    return sum((out / name).stat().st_size for name in files)


def _load(path: Path) -> Loaded:
    run = load_run(path)
    if (task := task_of(run)) is None:
        raise about(path, Message(N_("its pairs are gone: there is no sentence to begin with")))
    return Loaded(run, task, browser_model(run))


def _model_file(run: Run) -> str:
    return f"{run.name}.model.js"


def _address(at: int, name: str, tongue: str) -> str:
    """Return the file of a run's page in a language.

    >>> _address(0, "everyday", "en"), _address(1, "copy", "zh_CN")
    ('index.html', 'copy.zh_CN.html')
    """
    ending = "" if tongue == language.ENGLISH else f".{tongue}"
    return f"{name if at else INDEX}{ending}.html"


def _page(at: int, loaded: Sequence[Loaded]) -> str:
    """Return a run's page in the language that texts have just now."""
    shown, tongue = loaded[at], language.visitor()
    run = shown.run
    texts = translated(DEFAULT_WHOLE_TEXTS)
    title = _("A sentence on its way through the model")
    runs = {
        each.run.name: "" if other == at else quote(_address(other, each.run.name, tongue))
        for other, each in enumerate(loaded)
    }
    tongues = {
        language.own_name(other): quote(_address(at, run.name, other))
        for other in language.languages()
        if other != tongue
    }
    facts = {
        _("Model"): f"{run.name}: {measured_on.of_model(run.path)}",
        **_measured_on(run),
        _("Parameters"): number(count_parameters(run.model.config)),
        **({_("Data"): run.notice} if run.notice else {}),
    }
    finder = antecedent_head(run)
    heads = [head for site in run.model.sites() for head in site.heads(run.model.config.n_heads)]
    return LivePage(
        title=f"{title} · {APP_NAME}",
        lead=_as_html(what_it_does(run.settings)),
        language=language.tag(),
        links=(runs if len(runs) > 1 else {}) | tongues,
        examples=_examples(shown, title, texts),
        heads={str(head): within_sentence(head) for head in heads},
        pronouns=sorted(shown.task.pronouns),
        finder=(str(finder), where_it_looks(run, finder)) if finder else ("", ""),
        facts=facts,
        model=quote(_model_file(run)),
        texts=translated(DEFAULT_LIVE_TEXTS),
    ).html()


def _measured_on(run: Run) -> dict[str, str]:
    """Return on what it was measured how good a run is; nothing where it was not."""
    if run.evaluation is None:
        return {}
    if own := run.evaluation.get("own_pairs"):
        return {_("Measured on"): measured_on.own_pairs(run.settings, own["n"])}
    return {_("Measured on"): measured_on.of_task(run.settings.task, run.evaluation["n"])}


def _examples(shown: Loaded, title: str, texts: dict[str, str]) -> list[Example]:
    return [
        _example(shown, _(each.name).format(n=number(each.number)), each.source, title, texts)
        for each in shown.task.examples
    ]


def _example(shown: Loaded, name: str, sentence: str, title: str, texts: dict[str, str]) -> Example:
    run = shown.run
    inspection = inspect_sentence(run, sentence)
    reference = shown.task.reference(inspection.translation.source)
    focus = first_pronoun(shown.task, inspection.source_words, inspection.source_tokens)
    whole = whole_of(run, forward_pass(run, inspection), title, focus)
    if reference is not None:
        forced = forward_pass(run, inspect_sentence(run, sentence, reference))
        whole = replace(whole, forced=on_reference(run, forced))
    whole = replace(whole, texts=texts | {**whole.texts})
    return Example(
        name=name,
        sentence=sentence,
        reference=reference or "",
        text=inspection.translation.text,
        payload=pack(whole, silences=True, locale=language.tag()),
    )


def _as_html(text: str) -> str:
    """Return a text with ** and * as HTML.

    >>> _as_html("**a & b**, *c*")
    '<b>a &amp; b</b>, <em>c</em>'
    """
    bold = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html.escape(text, quote=False))
    return re.sub(r"\*(.+?)\*", r"<em>\1</em>", bold)
