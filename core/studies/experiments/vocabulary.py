"""How large a vocabulary?"""

from ...messages import N_
from .experiment import BASE, TRANSLATING, Expected, Experiment, Variant
from .measures import BLEU, TOKENS

VOCABULARY = Experiment(
    name="vocabulary",
    question=N_("How large should a vocabulary of word pieces be?"),
    claim=N_(
        "Byte pair encoding cuts rare words into pieces. With a few hundred pieces sentences "
        "become long, and a model must learn to spell. Our guess for these sentences: beyond 1,500 "
        "pieces, more do not help."
    ),
    source="Sennrich et al. 2016 (BPE)",
    variants=(
        Variant(BASE, N_("1,500 pieces")),
        Variant("300", N_("300 pieces"), {"vocab_size": 300}, Expected.LESS),
        Variant("600", N_("600 pieces"), {"vocab_size": 600}, Expected.LESS),
        Variant("4000", N_("4,000 pieces"), {"vocab_size": 4000}, Expected.NO_MORE),
    ),
    settings={**TRANSLATING, "vocab_size": 1500},
    measures=(TOKENS, BLEU),
    caution=N_(
        "A larger vocabulary has a larger table of embeddings: the variants do not have equal "
        "parameters (see the table). The loss is per token, so it does not compare vocabularies."
    ),
)
