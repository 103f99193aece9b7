"""Published models as configurations: what they are made of, and how large, without their weights.

Each has the sizes of its `config.json`; the counts are those of its checkpoint, a shared matrix
counted once.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..messages import N_
from .model import ModelConfig
from .styles import STYLES, in_style


@dataclass(frozen=True, slots=True)
class Published:
    """A model that everybody speaks of."""

    name: str
    """On the command line and in links."""
    label: str
    """What people call it; a message to translate."""
    config: ModelConfig
    parameters: int
    """As counted in the published checkpoint; of the paper's models as their table says."""
    source: str
    """Who published it, and when."""


def _published(  # noqa: PLR0913
    style: str, n_layers: int, d_model: int, n_heads: int, vocab_size: int, **settings: object
) -> ModelConfig:
    """Return a model of a kind with so many layers in each of its stacks.

    Where the settings have no other d_ff, it is 4 d_model.
    """
    sizes = ModelConfig(
        vocab_size=vocab_size,
        n_encoder_layers=n_layers,
        n_decoder_layers=0 if STYLES[style].stack else n_layers,
        d_model=d_model,
        d_ff=4 * d_model,
        n_heads=n_heads,
    )
    changes: dict[str, Any] = settings
    return replace(in_style(style, sizes), **changes)


_bert = partial(_published, "bert", vocab_size=30522, n_segments=2)
_gpt2 = partial(_published, "gpt2", vocab_size=50257, max_positions=1024)
_llama = partial(_published, "llama", max_positions=2048)
_t5 = partial(_published, "t5", vocab_size=32128, d_k=64, d_v=64)
_MARIAN = ModelConfig(vocab_size=59514, **STYLES["marian"].settings)
PAPER_BASE = ModelConfig(vocab_size=41_000)
"""The paper's base model (Table 3, Vaswani et al. 2017), tied, with a vocabulary of 41,000 pieces.

That vocabulary is a reconstruction: with it all ten published counts of base, B and C come out when
rounded to millions; with the 37,000 usually quoted, base would have 63.1, not 65. "big" fits
neither: 213 needs about 36,000 pieces.
"""
_DEVLIN, _RADFORD = "Devlin et al. 2019", "Radford et al. 2019"
_VASWANI, _RAFFEL = "Vaswani et al. 2017", "Raffel et al. 2020"

PUBLISHED: tuple[Published, ...] = (
    Published(
        "paper-base",
        N_("Transformer base"),
        PAPER_BASE,
        65_000_000,
        _VASWANI,
    ),
    Published(
        "paper-big",
        N_("Transformer big"),
        replace(PAPER_BASE, vocab_size=36_000, d_model=1024, d_ff=4096, n_heads=16),
        213_000_000,
        _VASWANI,
    ),
    Published("bert-base", N_("BERT base"), _bert(12, 768, 12), 109_514_298, _DEVLIN),
    Published("bert-large", N_("BERT large"), _bert(24, 1024, 16), 335_174_458, _DEVLIN),
    Published("gpt2", N_("GPT-2"), _gpt2(12, 768, 12), 124_439_808, _RADFORD),
    Published("gpt2-xl", N_("GPT-2 XL"), _gpt2(48, 1600, 25), 1_557_611_200, _RADFORD),
    Published("t5-small", N_("T5 small"), _t5(6, 512, 8), 60_506_624, _RAFFEL),
    Published("t5-base", N_("T5 base"), _t5(12, 768, 12), 222_903_552, _RAFFEL),
    Published(
        "opus-mt-en-fr", N_("opus-mt, English to French"), _MARIAN, 74_669_178, "Tiedemann 2020"
    ),
    Published(
        "smollm2-135m",
        N_("SmolLM2 135M"),
        _llama(
            n_layers=30,
            d_model=576,
            n_heads=9,
            d_ff=1536,
            vocab_size=49152,
            n_kv_heads=3,
            tied="all",
            norm_eps=1e-5,
            rotary_base=1e5,
            max_positions=8192,
        ),
        134_515_008,
        "Allal et al. 2025",
    ),
    Published(
        "tinyllama-1.1b",
        N_("TinyLlama 1.1B"),
        _llama(22, 2048, 32, d_ff=5632, vocab_size=32000, n_kv_heads=4, norm_eps=1e-5),
        1_100_048_384,
        "Zhang et al. 2024",
    ),
    Published(
        "llama-7b",
        N_("LLaMA 7B"),
        _llama(32, 4096, 32, d_ff=11008, vocab_size=32000),
        6_738_415_616,
        "Touvron 2023",
    ),
    Published(
        "llama-3-8b",
        N_("LLaMA 3 8B"),
        _llama(
            n_layers=32,
            d_model=4096,
            n_heads=32,
            d_ff=14336,
            vocab_size=128256,
            n_kv_heads=8,
            norm_eps=1e-5,
            rotary_base=5e5,
            max_positions=8192,
        ),
        8_030_261_248,
        "Meta 2024",
    ),
)
"""From the paper's own on, by family."""
