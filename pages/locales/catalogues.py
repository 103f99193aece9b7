"""`make texts`: collect every text of the app, and bring the catalogues up to date.

A text is what stands in `_`, `N_`, `Message`, `require`, `n_`, `forms` or an error that pages show,
in any of our modules; components written in JavaScript hold none of their own. A catalogue that
lacks texts is no error: they stay English.
"""

import argparse
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from pages.frame.language import DOMAIN, ENGLISH, LOCALES

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("core", "viz", "pages", "classroom", "app.py")
ERRORS = (
    *(
        "CheckpointError",
        "ConfigError",
        "CorpusError",
        "OpeningError",
        "PatchingError",
        "PathError",
    ),
    *("RunError", "ScoresError", "SentenceError", "TokenizerError", "TooLargeError"),
    "TrainingError",
)
"""Those of core that are made of a template and values (`core.messages.MessageError`)."""
KEYWORDS: Mapping[str, tuple[int, ...] | None] = {
    "_": None,
    "N_": None,
    "Message": None,
    "require": (2,),
    "n_": (1, 2),
    "forms": (1, 2),
    **dict.fromkeys(ERRORS),
}
"""Function → which of its arguments are a text and its plural; None for the first alone."""
TEMPLATE = f"{DOMAIN}.pot"


def modules() -> Iterator[Path]:
    """Yield every module that may hold texts."""
    for name in SOURCES:
        path = ROOT / name
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def collected() -> Catalog:
    """Return all texts of the app, with the modules that hold them."""
    texts = Catalog(project="seq2see", version="")
    for module in modules():
        place = (module.relative_to(ROOT).as_posix(), 1)
        for _line, text, comments, _context in extract_from_file(
            "python",
            module,
            keywords=KEYWORDS,
            comment_tags=("Translators:",),
            strip_comment_tags=True,
        ):
            texts.add(text, locations=[place], auto_comments=comments)
    return texts


def bring_up_to_date(locales: Path, texts: Catalog) -> Iterator[str]:
    """Write the template and every catalogue anew; yield what each of them lacks."""
    _write(locales / TEMPLATE, texts)
    yield f"{len(texts)} texts"
    for file in sorted(locales.glob(f"*/LC_MESSAGES/{DOMAIN}.po")):
        catalogue = read(file)
        # Only what changes in the texts is to be seen as a change of the file.
        written = catalogue.creation_date
        catalogue.update(texts)
        catalogue.creation_date = written
        _write(file, catalogue)
        compile_texts(file.with_suffix(".mo"), catalogue)
        yield from lacks(catalogue)


def compile_texts(file: Path, catalogue: Catalog) -> None:
    """Write what the app reads of a catalogue: the texts that are wholly translated."""
    for text in catalogue:
        if text.id and not all(_forms(text.string)):
            # Else the English forms would be taken for as many forms as the language has.
            text.string = ""
    with file.open("wb") as compiled:
        write_mo(compiled, catalogue)


def begin(locales: Path, language: str) -> None:
    """Make an empty catalogue for a language, unless there is one."""
    file = locales / language / "LC_MESSAGES" / f"{DOMAIN}.po"
    if language != ENGLISH and not file.exists():
        file.parent.mkdir(parents=True)
        _write(file, Catalog(locale=language, project="seq2see", version="", fuzzy=False))


def read(file: Path) -> Catalog:
    """Return a catalogue; its folder says which language it is of."""
    with file.open("rb") as stream:
        return read_po(stream, locale=file.parents[1].name, domain=DOMAIN)


def lacks(catalogue: Catalog) -> Iterator[str]:
    """Yield what a catalogue lacks, a line each, after a line of counts."""
    missing = [text for text in catalogue if text.id and not all(_forms(text.string))]
    doubtful = [text for text in catalogue if text.id and text.fuzzy]
    wrong = [text for text in catalogue if text.id and wrong_names(text)]
    yield (
        f"{catalogue.locale_identifier}: {len(missing)} missing, {len(doubtful)} doubtful (fuzzy), "
        f"{len(wrong)} with other {{names}}, {len(catalogue.obsolete)} no longer used"
    )
    for what, found in (("missing", missing), ("doubtful", doubtful), ("names", wrong)):
        for text in found:
            places = ", ".join(sorted({place for place, _line in text.locations}))
            yield f"  {what}: {_forms(text.id)[0]!r} ({places})"


def wrong_names(text: Message) -> set[str]:
    """Return the {names} that a translation lacks, or has beside the English text's own."""
    wanted = {name for each in _forms(text.id) for name in _names(each)}
    found = [_names(each) for each in _forms(text.string) if each]
    # "One head" need not say its number.
    lacking = set() if text.pluralizable else {name for names in found for name in wanted - names}
    return lacking | {name for names in found for name in names - wanted}


def _forms(texts: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    """Return a text's forms: one, or one for each number that the language tells apart."""
    return (texts or "",) if isinstance(texts, str | None) else tuple(texts)


def _names(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)[^{}]*\}", text))


def _write(file: Path, texts: Catalog) -> None:
    with file.open("wb") as stream:
        # Without numbers of lines, which change with every edit.
        write_po(stream, texts, width=100, include_lineno=False, sort_by_file=True)


def main() -> None:
    """Collect the texts, and print what is missing."""
    parser = argparse.ArgumentParser(prog="make texts", description=__doc__)
    parser.add_argument("language", nargs="*", help="begin a catalogue for it, zh_CN for example")
    for language in parser.parse_args().language:
        begin(LOCALES, language)
    for line in bring_up_to_date(LOCALES, collected()):
        print(line)


if __name__ == "__main__":
    main()
