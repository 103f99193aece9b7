import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import read_mo

from pages.locales import catalogues


@pytest.fixture
def locales(tmp_path):
    """A folder with an empty catalogue in German."""
    catalogues.begin(tmp_path, "de")
    return tmp_path


def texts(*ids):
    found = Catalog()
    for each in ids:
        found.add(each, locations=[("pages/heads.py", 1)])
    return found


def test_a_catalogue_takes_in_new_texts_and_keeps_what_is_translated(locales):
    file = locales / "de" / "LC_MESSAGES" / "app.po"
    list(catalogues.bring_up_to_date(locales, texts("Head")))
    catalogue = catalogues.read(file)
    catalogue["Head"].string = "Kopf"
    catalogues._write(file, catalogue)
    said = list(catalogues.bring_up_to_date(locales, texts("Head", "Layer")))
    assert catalogues.read(file)["Head"].string == "Kopf"
    assert said == [
        "2 texts",
        "de: 1 missing, 0 doubtful (fuzzy), 0 with other {names}, 0 no longer used",
        "  missing: 'Layer' (pages/heads.py)",
    ]


@pytest.mark.parametrize(
    ("text", "said", "wrong"),
    [
        ("{n} of {total}", "{n} von {total}", set()),
        ("{n} of {total}", "{n} von allen", {"total"}),
        ("{n} of {total}", "{n} von {alle}", {"total", "alle"}),
        (("{n} head", "{n} heads"), ("ein Kopf", "{n} Köpfe"), set()),
        (("{n} head", "{n} heads"), ("{m} Kopf", "{n} Köpfe"), {"m"}),
        ("$x_{i}^{2} y$", "", set()),
    ],
)
def test_a_translation_has_the_names_of_its_text(text, said, wrong):
    message = Catalog().add(text, said)
    assert catalogues.wrong_names(message) == wrong


def written_and_compiled(file):
    """Return what a catalogue says, as it is written and as it is read by the app."""
    written = {
        catalogues._forms(each.id): catalogues._forms(each.string)
        for each in catalogues.read(file)
        if each.id and all(catalogues._forms(each.string)) and not each.fuzzy
    }
    with file.with_suffix(".mo").open("rb") as compiled:
        found = [each for each in read_mo(compiled) if each.id]
    forms = {catalogues._forms(each.id): catalogues._forms(each.string) for each in found}
    return written, forms


def test_a_catalogue_is_compiled_as_it_is_written_without_what_is_doubtful(locales):
    file = locales / "de" / "LC_MESSAGES" / "app.po"
    heads, layers = (("{n} " + one, "{n} " + one + "s") for one in ("head", "layer"))
    list(catalogues.bring_up_to_date(locales, texts("Head", "Layer", "Key", heads, layers)))
    catalogue = catalogues.read(file)
    catalogue["Head"].string = "Kopf"
    catalogue["Key"].string = "Taste"
    catalogue["Key"].flags.add("fuzzy")
    catalogue[heads[0]].string = ("{n} Kopf", "{n} Köpfe")
    catalogues._write(file, catalogue)
    list(catalogues.bring_up_to_date(locales, texts("Head", "Layer", "Key", heads, layers)))
    written, compiled = written_and_compiled(file)
    assert written == compiled == {("Head",): ("Kopf",), heads: ("{n} Kopf", "{n} Köpfe")}
