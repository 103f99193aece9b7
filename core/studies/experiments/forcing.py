"""Should a model be fed the true words while it learns, or its own?"""

from ...messages import N_
from .experiment import BASE, Expected, Experiment, Variant
from .measures import AFTER_MISTAKE, WITHOUT_MISTAKE

FORCING = Experiment(
    name="forcing",
    question=N_("Should a model be fed the true words while it learns, or its own?"),
    claim=N_(
        "With the true words (teacher forcing) it learns in fewer steps, all positions at once. "
        "But it never sees a mistake: fed some of its own words (scheduled sampling), it goes on "
        "better after one."
    ),
    source="Williams & Zipser 1989; Bengio et al. 2015 (scheduled sampling); Lamb et al. 2016",
    variants=(
        Variant(BASE, N_("teacher forcing")),
        Variant(
            "scheduled",
            N_("scheduled sampling, up to 50 %"),
            {"scheduled_sampling": 0.5},
            Expected.MORE,
        ),
        Variant("free", N_("free running"), {"teacher_forcing": False}),
    ),
    measures=(AFTER_MISTAKE, WITHOUT_MISTAKE),
    judged_by=AFTER_MISTAKE.name,
    judges=N_("how it goes on after a mistake, not how many steps learning takes"),
    caution=N_(
        "The mistake is the most probable wrong word in the middle of each of 400 held-out "
        "sentences; from there on the model is fed its own words, and words are compared position "
        "by position. "
        "The training losses do not compare: each is measured on the words that the model was fed."
    ),
)
