"""Notes beside the pictures: how far they can be believed, and what was measured."""

from collections.abc import Sequence
from os.path import commonprefix

from core.decoding.sentence import Translation
from core.heads import Head, Kind
from core.inspection import Inspection
from core.runs.run import Run, RunError
from core.studies.effects.head_effects import HeadEffects
from core.studies.heads.findings import antecedent_head, best_pronoun_head
from core.studies.heads.largest_weights import evenness
from core.tasks import familiarity as familiar
from core.tasks import right_targets
from core.tasks.familiarity import nearest_words
from pages.frame import cached, measured_on
from pages.frame.language import _, capitalised, listed, n_, number, percent, plain
from pages.frame.recipe import Recipe

NEARLY_UNIFORM, NO_EFFECT = 0.95, 0.02
GOOD_EXACT_MATCH = 0.9
MOST_RESPELLED = 3
"""Unknown words for which similar ones are named."""


def about_map(run: Run, inspection: Inspection, head: Head, *, silenced: bool = True) -> list[str]:
    """Return why not to believe a head's map, beside what holds for the whole sentence.

    What silencing the head changes is left out where the view shows it itself.
    """
    found, attention = [], inspection.attention[head.site]
    if evenness(attention.weights_HQK[head.index], attention.even_QK) > NEARLY_UNIFORM:
        found.append(_("This head's rows are nearly uniform: it points at nothing."))
    found += _shared(run, head) + _score_warnings(run, head)
    return found + (_effect_warnings(run, head) if silenced else [])


def about_head(run: Run, head: Head) -> list[str]:
    """Return why not to believe in a head, whatever the sentence, one sentence each.

    Nothing is measured for it: only figures that are stored are noted.
    """
    return [
        *_one_matrix(run),
        *_shared(run, head),
        *_score_warnings(run, head),
        *_effect_warnings(run, head),
    ]


def _one_matrix(run: Run) -> list[str]:
    """Return which projections of every head are the same."""
    sentences = {
        "qk": _("One matrix makes its queries and its keys."),
        "kv": _("One matrix makes its keys and its values."),
        "qkv": _("One matrix makes its queries, keys and values."),
    }
    return [sentences[run.settings.model.shared]] if run.settings.model.shared in sentences else []


def _shared(run: Run, head: Head) -> list[str]:
    """Return which heads have the keys and values of a head, too."""
    config = run.settings.model
    n_sharing = config.n_heads // config.n_key_value_sets
    if n_sharing == 1:
        return []
    first = head.index // n_sharing * n_sharing
    others = [each for each in range(first, first + n_sharing) if each != head.index]
    text = n_(
        "It shares its keys and values with head {heads}: only their queries differ.",
        "It shares its keys and values with heads {heads}: only their queries differ.",
        len(others),
    )
    return [text.format(heads=listed(map(number, others)))]


def stored(run: Run) -> HeadEffects | None:
    """Return what silencing each head costs; None where it was not measured on these weights."""
    try:
        found = cached.effects(run.path)
    except RunError:
        # A new measurement shows what is wrong with the file.
        return None
    return found if found is not None and found.step == run.step else None


def about_sentence(run: Run, inspection: Inspection, *, of_heads: bool = True) -> list[str]:
    """Return why not to believe what a run does with a sentence, one sentence each.

    Args:
        run: The run that was inspected.
        inspection: Of the sentence.
        of_heads: Whether what was measured of its heads stands beside it, and not its reference.
    """
    return [
        *_training_warnings(run),
        *about_reading(run, inspection),
        *_unfamiliar(run, inspection),
        *(_everyday(run, inspection.translation.source) if of_heads else []),
        *(_wrong(run, inspection) if of_heads else []),
    ]


def _wrong(run: Run, inspection: Inspection) -> list[str]:
    """Return from where on a text differs from all targets that its task knows as correct."""
    right = right_targets(cached.task(run.path), inspection.translation.source)
    text = inspection.translation.text
    if not right or text in right or run.max_new_tokens is not None:
        return []
    n_alike = max(len(commonprefix([text.split(), each.split()])) for each in right)
    differs = _("What it writes differs from the reference from word {n} on.")
    return [differs.format(n=number(n_alike + 1))]


def _unfamiliar(run: Run, inspection: Inspection) -> list[str]:
    """Return how a sentence differs from those that the model learned from."""
    form = Recipe(_form_missed, run.path, inspection.translation.source).result()
    words = sorted(inspection.unknown_words)[:MOST_RESPELLED]
    nearest = {
        word: Recipe(_nearest, run.path, word).result()
        for word in dict.fromkeys(inspection.source_words[at] for at in words)
    }
    sentences = [
        _("Known words that are spelled like “{word}”: {words}.").format(
            word=plain(word), words=listed(map(plain, known))
        )
        for word, known in nearest.items()
        if known
    ]
    if form:
        none = _(
            "Training used {form}; this is something else, so what was measured does not hold for "
            "it."
        )
        sentences.append(none.format(form=_(form)))
    return sentences


def _form_missed(run: Run, sentence: str) -> str:
    return familiar.form_missed(cached.task(run.path), sentence)


def _nearest(run: Run, word: str) -> list[str]:
    return nearest_words(word, run.known_words)


def _everyday(run: Run, sentence: str) -> list[str]:
    """Return what is known of a sentence that is not of those on which a model was measured.

    Only of a model that learned both, the grammar and others: for it a sentence that the grammar
    does not make is no stranger.
    """
    own = run.evaluation.get("own_pairs") if run.evaluation else None
    if own is None or is_measured(run, sentence):
        return []
    text = _(
        "Not a sentence of the grammar, on which heads and pronouns were measured. On {sentences} "
        "the model’s BLEU is {bleu}."
    )
    return [
        text.format(
            sentences=measured_on.own_pairs(run.settings, own["n"]), bleu=number(own["bleu"], 1)
        )
    ]


def about_reading(run: Run, inspection: Inspection) -> list[str]:
    """Return what a run could not read or end of a sentence, one sentence each."""
    found = []
    if run.settings.model.is_parallel:
        found.append(_("It fills in all words at once: maps show one pass over the finished text."))
    if inspection.translation.cut:
        n_tokens = len(_read(run, inspection.translation))
        cut = n_(
            "The sentence was cut after {n} token: the model has no more positions.",
            "The sentence was cut after {n} tokens: the model has no more positions.",
            n_tokens,
        )
        if run.truncates_left:
            cut = n_(
                "Only the last {n} token is read: the model has no more positions.",
                "Only the last {n} tokens are read: the model has no more positions.",
                n_tokens,
            )
        found.append(cut)
    # A text has no end that a decoder alone must find.
    translates = inspection.source_tokens and inspection.fed_tokens
    if translates and not inspection.translation.finished:
        found.append(_("The model did not come to an end (EOS) before the length limit."))
    if n := len(inspection.unknown_words):
        total = len(inspection.source_words) - 1
        text = n_(
            "{n} of {total} words (dotted) was never seen in training.",
            "{n} of {total} words (dotted) were never seen in training.",
            n,
        )
        if n == total:
            text = n_(
                "Its {n} word (dotted) was never seen in training: what follows is a guess.",
                "Its {n} words (dotted) were never seen in training: what follows is a guess.",
                n,
            )
        found.append(text.format(total=number(total)))
    return found


def _read(run: Run, translation: Translation) -> tuple[int, ...]:
    """Return the tokens of a sentence that a model read, without what stands around them."""
    ids = translation.source_ids or translation.fed_ids[: translation.n_given + 1]
    begins, ends = run.tokenizer.begins, run.tokenizer.ends if translation.source_ids else ()
    return ids[len(begins) : len(ids) - len(ends)]


def is_measured(run: Run, sentence: str) -> bool:
    """Return whether a sentence is of the kind on which the run's heads were measured."""
    return Recipe(_is_measured, run.path, sentence).result()


def _is_measured(run: Run, sentence: str) -> bool:
    return familiar.is_measured(cached.task(run.path), sentence)


def about_silenced(heads: Sequence[Head]) -> list[str]:
    """Return that heads are silenced in the whole pass, and not in other views of the sentence."""
    if not heads:
        return []
    text = _("Silenced in the whole pass: {heads}. Here all heads work.")
    return [text.format(heads=" · ".join(map(within_sentence, heads)))]


def is_guided(run: Run, head: Head) -> bool:
    """Return whether training rewarded a head for looking from a pronoun at its antecedent."""
    return run.settings.training.guide == str(head)


def site_and_head(head: Head) -> str:
    """Return a head's name as people say it."""
    return capitalised(within_sentence(head))


def within_sentence(head: Head) -> str:
    """Return a head's name as it stands within a sentence."""
    # An encoder has one kind of attention.
    names = {
        Kind.ENCODER_SELF: _("encoder layer {layer}, head {head}"),
        Kind.DECODER_SELF: _("decoder layer {layer}, self-attention head {head}"),
        Kind.CROSS: _("decoder layer {layer}, cross-attention head {head}"),
    }
    return names[head.kind].format(layer=head.layer, head=head.index)


def where_it_looks(run: Run, head: Head) -> str:
    """Return the name of the head in which a word looks at another, and why it is this head."""
    name = within_sentence(head)
    if is_guided(run, head):
        return _("{head}, guided in training").format(head=name)
    if head == antecedent_head(run):
        return _("{head}, the best at finding what pronouns stand for").format(head=name)
    return name


def _score_warnings(run: Run, head: Head) -> list[str]:
    """Return that a head is best at finding antecedents, and yet no better than a rule."""
    best = best_pronoun_head(run, head.kind)
    if best is None or best.head != head or best.beats_baseline:
        return []
    return [
        _(
            "No head of its kind finds antecedents more often than this one, and it is no better "
            "than a rule: {score} ({rule}: {baseline}, n = {n}, seed {seed})."
        ).format(
            score=percent(best.score),
            rule=_(best.baseline_name),
            baseline=percent(best.baseline),
            n=number(best.n),
            seed=best.seed,
        )
    ]


def _effect_warnings(run: Run, head: Head) -> list[str]:
    effects = stored(run)
    if effects is None:
        return []
    effect = effects.of(head)
    if not effect.changes_nothing:
        return []
    change = effect.exact_match
    return [
        _(
            "Silencing this head makes no measurable difference: exact match {before} → {after} "
            "(95 % interval of the change: {low} to {high} points, on {sentences})."
        ).format(
            before=percent(change.before),
            after=percent(change.after),
            low=number(100 * change.low, 1),
            high=number(100 * change.high, 1),
            sentences=measured_on.drawn(run, change.n, effects.seed),
        )
    ]


def _training_warnings(run: Run) -> list[str]:
    steps = 0 if run.settings.is_opened else run.settings.training.steps
    if run.step < steps:
        text = n_(
            "Training has done {step} of {steps} step.",
            "Training has done {step} of {steps} steps.",
            steps,
        )
        return [text.format(step=number(run.step), steps=number(steps))]
    if run.evaluation is not None and run.evaluation["exact_match"] < GOOD_EXACT_MATCH:
        text = _("This model gets only {share} of {sentences} right.")
        share, n = percent(run.evaluation["exact_match"]), run.evaluation["n"]
        return [text.format(share=share, sentences=measured_on.of_task(run.settings.task, n))]
    return []
