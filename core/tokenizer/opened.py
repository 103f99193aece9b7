"""The tokenizers of an opened model, out of the files that a run keeps of them."""

from collections.abc import Mapping

from .bpe_json import TokenizerError
from .fast_tokenizer import FILE, FastTokenizer
from .sentencepiece import MARIAN_FILES, SOURCE, marian_tokenizers
from .tokenizer import Tokenizer

OPENED = (FILE, *MARIAN_FILES)
"""Names of the files."""


def opened_tokenizers(
    files: Mapping[str, bytes], n_source: int, n_target: int, pad_id: int
) -> tuple[Tokenizer, Tokenizer]:
    """Return the source's and the target's tokenizer, which are one for all but a few models.

    Args:
        files: The content of those of OPENED that there are.
        n_source: Tokens that the model reads.
        n_target: Tokens that it writes.
        pad_id: Its padding token; −1 for none.

    Raises:
        TokenizerError: There is none, it is damaged, or it does not fit the model.
    """
    if SOURCE in files:
        return marian_tokenizers(files, n_source, n_target, pad_id)
    if n_source != n_target:
        raise TokenizerError(
            "the model reads {n_source} tokens and writes {n_target}, and there is one tokenizer",
            n_source=n_source,
            n_target=n_target,
        )
    try:
        one = FastTokenizer(files[FILE].decode("utf-8"), n_source)
    except UnicodeDecodeError as error:
        raise TokenizerError("{file} is not UTF-8 text", file=FILE) from error
    return one, one
