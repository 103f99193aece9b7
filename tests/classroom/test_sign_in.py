import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from classroom.sign_in import LONGEST, Form, is_here, page, read
from pages.frame import language


def test_what_was_typed_before_is_shown_again_but_no_password_and_never_as_markup():
    form = Form(password="secret-1", name='"><script>', word="secret-2", then='/"><b>')
    shown = page("en", form, problem="<i>wrong</i>")
    assert "secret" not in shown
    assert "<script>" not in shown
    assert "<b>" not in shown
    assert "<i>" not in shown
    assert "&lt;i&gt;wrong" in shown


def test_whoever_guessed_too_often_is_told_for_how_long_to_wait():
    assert "Try again in 1 second." in page("en", Form(), seconds=1.0)
    assert "Try again in 8 seconds." in page("en", Form(), seconds=8.0)


@pytest.mark.parametrize(
    "address",
    ["", "heads", "//elsewhere.org", "/\\elsewhere.org", "https://x.org", "/a\r\nb", "/sign-out"]
    + ["/auth/logout", "/oauth2callback?code=1"],
)
def test_one_is_never_led_elsewhere(address):
    assert not is_here(address)


def test_what_is_no_form_is_read_as_an_empty_one():
    for content in (b"\xff", b"&".join(b"a=1" for _ in range(99)), b""):
        assert read(content) == Form()
    assert len(read(b"name=" + b"x" * 999).name) == LONGEST


def test_the_page_is_in_the_language_of_whoever_signs_in(monkeypatch, tmp_path):
    monkeypatch.setattr(language, "languages", lambda: ["en", "fr"])
    monkeypatch.setattr(language, "LOCALES", tmp_path)
    folder = tmp_path / "fr" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    catalogue = Catalog("fr")
    catalogue.add("Sign in", "Entrer")
    with (folder / "app.mo").open("wb") as file:
        write_mo(file, catalogue)
    assert "<button>Entrer</button>" in page("tlh, fr-CA;q=0.9, en;q=0.8", Form())
    assert '<html lang="fr">' in page("fr", Form())
    assert "<button>Sign in</button>" in page("en", Form())
    # A link that says a language opens in it.
    assert '<html lang="fr">' in page("en", Form(then="/heads?layer=1&lang=fr"))
    assert '<html lang="en">' in page("en", Form(then="/heads?lang=tlh"))


def test_accounts_are_offered_where_they_open_the_class():
    assert "/sign-in/account" not in page("en", Form())
    shown = page("en", Form(then="/heads?a=1&b=2"), by_account=True)
    assert 'href="/sign-in/account?then=%2Fheads%3Fa%3D1%26b%3D2"' in shown
