"""The tour of the app: what the paper says, in its order, each claim beside the view that shows it.

A teacher's own tours are files in `tours/`, see `frame/tour_file.py`.
"""

import streamlit as st

from core.tasks import TASKS
from core.tasks.everyday import SHORT
from pages.frame import tour
from pages.frame.language import N_, _, number, plain
from pages.frame.messages import explained
from pages.frame.presentation import STEPS
from pages.frame.tour import FIRST_PAGE, Stop, Tour, TourError
from pages.frame.tour_file import EXAMPLE, TOURS, read_tour, tour_names

BEGIN = "tour_begin"
_TIRED, _WIDE, _GOATS = (each.source for each in TASKS["everyday"].examples[:3])
_IT, _ANIMAL, _DID, _STREET, _FED_L, _FED_LA, _IL = 8, 1, 2, 6, 1, 7, 10
"""Where words stand in the first sentence and in what is written of it, counted from 0."""
_DOG, _COW, *_OTHERS = SHORT
_FED_QU = 6
"""Where "qu'" stands that writes "il" or "elle" in the first two."""
_ELLE = 432
"""The token "elle" of the everyday model."""
_OPENED = {"model": "everyday", "sentence": _TIRED}
_ALONE = {**_OPENED, "decoding": "steps", "reference": ""}
"""Free running alone."""
_HEAD = {"kind": "encoder.self", "layer": "2", "head": "0"}
"""The head that was guided to look from a pronoun at what it stands for."""

STOPS = (
    Stop(
        title=N_("What attention is"),
        page=FIRST_PAGE,
        query={**_OPENED, **_HEAD, "view": "lines", "side": "source", "token": str(_DID)},
        text=N_(
            "Each word on the left looks at the words on the right: here are the lines of "
            "“did”. A line is a weight from 0 to 1; those of one word sum to 1."
        ),
        question=N_("Which word does “it” look at most?"),
        task=N_("Rest the pointer on “it”, on the left."),
        shows={"side": "source", "token": str(_IT)},
    ),
    Stop(
        title=N_("Tired or wide"),
        page=FIRST_PAGE,
        query={**_OPENED, **_HEAD, "view": "lines", "side": "source", "token": str(_IT)},
        text=N_(
            "The thick line is the weight of “it”. Training rewarded this one head for looking "
            "from a pronoun at its noun (guided attention)."
        ),
        question=N_("One word changes, “tired” becomes “wide”. Where does “it” look then?"),
        task=N_("Click “wide” beside the sentence."),
        shows={"sentence": _WIDE},
        clicks=("example_1",),
    ),
    Stop(
        title=N_("Change one weight"),
        page="heads",
        query={**_OPENED, **_HEAD, "trial": "override", "move": f"encoder.self,{_IT},{_ANIMAL}"},
        text=N_(
            "A map says where a head looks, not whether the model uses it. To find out, we change "
            "one row of the map by hand."
        ),
        question=N_("If “it” has to look at the street, what becomes of “il” in the translation?"),
        task=N_("Click the cell in the row “it” and the column “street”."),
        shows={"move": f"encoder.self,{_IT},{_STREET}"},
    ),
    Stop(
        title=N_("Silence the head"),
        page="heads",
        query={**_OPENED, "sentence": _GOATS, "trial": "silence", "silent": "none"},
        text=N_(
            "A silenced head adds nothing to what the layer says. If the translation changes, the "
            "model needed it here."
        ),
        question=N_("Which words of the translation change without encoder layer 2 head 0?"),
        task=N_("Click its cell in the grid of the encoder."),
        shows={"silent": "encoder.2.self:0"},
    ),
    Stop(
        title=N_("Several heads"),
        page=FIRST_PAGE,
        query={**_OPENED, **_HEAD, "view": "word", "side": "source", "token": str(_DID)},
        text=N_(
            "Several heads let a word look at several things at once. Each strip is one head, here "
            "of “did”; behind it stands the token that it looks at most."
        ),
        question=N_(
            "From “it”, at how many different tokens (EOS counts) do the 12 heads look most?"
        ),
        task=N_("The picture is of “did”: click “it” in the sentence."),
        shows={"side": "source", "token": str(_IT)},
    ),
    Stop(
        title=N_("Cross-attention"),
        page=FIRST_PAGE,
        query={
            **_OPENED,
            **{"kind": "decoder.cross", "layer": "1", "head": "0", "view": "lines"},
            **{"side": "target", "token": str(_FED_L)},
        },
        text=N_(
            "The decoder looks at the source while it writes. On the left stands what it was fed, "
            "and after the arrow what it wrote next: here “animal”."
        ),
        question=N_("When it writes “rue”: at which source word does it look most?"),
        task=N_("Rest the pointer on “la → rue”."),
        shows={"side": "target", "token": str(_FED_LA)},
    ),
    Stop(
        title=N_("Decoding, step by step"),
        page="decoding",
        query={**_ALONE, "decoding_step": "0"},
        text=N_(
            "The decoder writes one token at a time, and is fed what it has written. The bars are "
            "the probabilities of the next token."
        ),
        question=N_("How sure is the model of the pronoun “il”, and which word comes second?"),
        task=N_("Step with the buttons to the bars that write “il”."),
        shows={"decoding_step": str(_IL)},
        clicks=(STEPS,),
    ),
    Stop(
        title=N_("Put a word into its mouth"),
        page="decoding",
        query={**_ALONE, "decoding_step": str(_IL)},
        text=N_(
            "What was written is fed back, right or wrong, and self-attention lets every later "
            "word look at it. So we can put another word there, and see which words use it."
        ),
        question=N_(
            "We put “elle” in the place of “il”; “elle” takes “fatiguée”. Does the model write "
            "that, or “fatigué” all the same?"
        ),
        task=N_("Click “elle” in the bars, and go on to the step that writes “fatigué”."),
        shows={
            "overrides": f"{_IL}:{_ELLE}",
            "decoding_step": str(_IL + 3),
        },
    ),
    Stop(
        title=N_("Teacher forcing"),
        page="decoding",
        query={
            **{**_OPENED, "decoding": "steps", "decoding_step": str(_IL + 3)},
            "overrides": f"{_IL}:{_ELLE}",
        },
        text=N_(
            "On the left the decoder is fed what it wrote, and our “elle”. On the right, as in "
            "training, it is fed the true words, which are all known before."
        ),
        question=N_(
            "How many passes of the decoder does this sentence take when it is translated, and how "
            "many in training?"
        ),
        task=N_("Choose the view “cost”."),
        shows={"decoding": "cost"},
        clicks=("decoding",),
    ),
    Stop(
        title=N_("Masks"),
        page="masks",
        query={
            **{**_OPENED, "sentence": _DOG, "others": "\n".join(_OTHERS)},
            **{"masks": "without", "kind": "decoder.self", "off": ""},
        },
        text=N_(
            "The look-ahead mask hides the words that come later; the padding mask hides what only "
            "fills up the batch."
        ),
        question=N_(
            "Without the look-ahead mask, how much of its weight does this head give to later "
            "words?"
        ),
        task=N_("Switch the look-ahead mask off."),
        shows={"off": "look-ahead"},
        clicks=("off",),
    ),
    Stop(
        title=N_("Positions"),
        page="positions",
        query={**_OPENED, "positions": "waves"},
        text=N_(
            "Each position has a pattern of waves, slow ones and fast ones, that is added to the "
            "vector of its token. No two positions have the same."
        ),
        question=N_("Without positions, does the encoder notice when the words are shuffled?"),
        task=N_("Choose the view “shuffle”."),
        shows={"positions": "shuffle"},
        clicks=("positions",),
    ),
    Stop(
        title=N_("Why divide by √d_k"),
        page="scaling",
        query={**_OPENED, "scaling": "variance"},
        text=N_(
            "The wider queries and keys are, the further their scores spread, until the softmax "
            "gives one key nearly all of the weight and hardly answers when scores change. So they "
            "are divided by √d_k before it."
        ),
        question=N_(
            "At d_k = 1,024, how many times as much gradient comes through the softmax with the "
            "division as without it?"
        ),
        task=N_("Choose the view “gradient”."),
        shows={"scaling": "gradient"},
        clicks=("scaling",),
    ),
    Stop(
        title=N_("Layer after layer: the logit lens"),
        page="layers",
        query={
            **_OPENED,
            "sentence": _COW,
            "layers": "lens",
            "lens_stack": "decoder",
            "lens_position": str(_FED_QU),
        },
        text=N_(
            "Every layer adds to the same residual stream, so that the output layer can read it "
            "anywhere: the logit lens does, as if the layers ended there. The last row is what the "
            "decoder writes."
        ),
        question=N_(
            "In the column of “qu'” the decoder writes “elle”. Is that the best guess after layer "
            "0, or only after layer 1?"
        ),
        task=N_("See how it is in the other columns; the answer opens this one."),
        clicks=("tour_text",),
    ),
    Stop(
        title=N_("Train one yourself"),
        page="training",
        query={"training": "forming", "model": "copy", "kind": "encoder.self", "layer": "0"},
        text=N_(
            "A model learned to copy a row of letters: here is how widely its heads spread their "
            "weights meanwhile, first those of the encoder. You can train one, too."
        ),
        question=N_(
            "By which step are all heads of cross-attention in decoder layer 0 sharp: their spread "
            "below the dashed line?"
        ),
        task=N_("Choose “cross”. Then train your own: “set up”, “Start”, and “watch”."),
        shows={"kind": "decoder.cross"},
        clicks=("kind",),
    ),
)

TOUR = Tour("paper", N_("A tour of the Transformer"), STOPS)


def render() -> None:
    """List the stops, and whose tours there are besides."""
    st.markdown(f"**{_(TOUR.title)}**")
    text = _(
        "{n} stops, about {time}. Each opens a live view and asks what you expect before it shows "
        "what the model does. The arrow keys go on and back; P shows a stop to a whole room."
    )
    st.markdown(f":small[{text.format(n=number(len(STOPS)), time=tour.minutes(TOUR))}]")
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(_("Begin"), key=BEGIN, type="primary", icon=":material/tour:"):
            tour.go(TOUR, 0)
        tour.offer_tasks(TOUR)
    columns = st.columns(2, gap="large")
    half = (len(STOPS) + 1) // 2
    for at, stop in enumerate(STOPS):
        with columns[at // half]:
            tour.link(TOUR, at)
            st.caption(_(stop.question))
    _others()


def _others() -> None:
    """Offer the tours that are files, and say how to make one."""
    for name in tour_names():
        try:
            tour.link(read_tour(name), 0, whole=True)
        except TourError as error:
            st.error(plain(explained(error)))
    with st.expander(_("A tour of your own")):
        text = _(
            "A tour is a small file of links and texts in the folder {folder}, next to app.py. "
            "Open a view as it is to be seen, and copy its link. This one, saved as "
            "{file}, is listed here and opens with {address}."
        )
        folder = f"`{TOURS}/`"
        st.markdown(
            text.format(folder=folder, file=f"`{TOURS}/monday.toml`", address="`?tour=monday`")
        )
        st.code(EXAMPLE, language="toml")


if __name__ == "__main__":
    from app import main

    main()
