"""What pages of other sites reach of `make run`, which asks nobody for a password: nothing."""

import http.client
import re
import shlex
import subprocess
import sys
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest

from tests.browser.conftest import ROOT, free_port, wait_for_health

SECRETS = ("/../../etc/passwd", "/runs/", "/gallery/copy/run.json", "/.streamlit/secrets.toml")
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address():
    """Serve what `make run` serves, elsewhere."""
    recipe = (ROOT / "Makefile").read_text().partition("\nrun:")[2].partition("\n\n")[0]
    [line] = re.findall(r"streamlit run (.*)", recipe.replace("\\\n", " "))
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", *shlex.split(line), "--server.port", port]
    with subprocess.Popen(list(map(str, command)), cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        try:
            wait_for_health(process, f"http://127.0.0.1:{port}")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


def answer(address, host, origin):
    """Return what is answered to a browser that would speak with the app: 101 if it may."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=20)
    headers = {
        "Host": host,
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    connection.request("GET", "/_stcore/stream", headers=headers | {"Origin": origin})
    status = connection.getresponse().status
    connection.close()
    return status


def test_pages_of_the_app_speak_with_it(address):
    here = urlsplit(address).netloc
    assert answer(address, here, address) == 101
    named = here.replace("127.0.0.1", "localhost")
    assert answer(address, named, f"http://{named}") == 101


@pytest.mark.parametrize(
    "origin", ["http://elsewhere.example", "https://127.0.0.1.example", "null"]
)
def test_pages_of_other_sites_do_not(address, origin):
    assert answer(address, urlsplit(address).netloc, origin) == 403


def test_nor_does_a_site_that_has_its_name_lead_to_this_machine(address):
    """By the name of its own it is of the same origin as what it asks (DNS rebinding)."""
    port = urlsplit(address).port
    assert answer(address, f"elsewhere.example:{port}", f"http://elsewhere.example:{port}") == 403


def test_no_other_site_may_read_what_is_answered_or_send_a_file(address):
    other = {"Origin": "http://elsewhere.example"}
    asked = urllib.request.Request(f"{address}/_stcore/host-config", headers=other)
    with urllib.request.urlopen(asked) as found:
        assert found.headers["Access-Control-Allow-Origin"] is None
    sent = urllib.request.Request(
        f"{address}/_stcore/upload_file/a/b", data=b"x", headers=other, method="PUT"
    )
    with pytest.raises(urllib.error.HTTPError, match=r"40[03]"):
        urllib.request.urlopen(sent)


@pytest.mark.parametrize("path", SECRETS)
def test_no_file_of_the_project_or_the_machine_is_served(address, path):
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=20)
    # As it is: a library would make another path of it.
    for asked in (path, path.replace("..", "%2e%2e"), f"/media{path}", f"/app/static{path}"):
        connection.request("GET", asked)
        text = connection.getresponse().read().decode("utf-8", "replace")
        assert "root:" not in text
        assert "cookie_secret" not in text
        assert '"d_model"' not in text
    connection.close()
