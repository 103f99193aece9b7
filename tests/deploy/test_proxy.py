"""The proxy of `deploy/` before a replica that only listens."""

import socket
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest

from benchmarks.served_class import proxied

pytestmark = pytest.mark.slow
UPLOAD = "/_stcore/upload_file/a/b"
SECONDS = 60
WAITS, MOST_AT_ONCE = "waits", 100
FORMS_MOST, UPLOADS_MOST = 2**20, 500 * 2**20


@contextmanager
def listening():
    """Serve what says yes before it has read anything; yield its address and what was asked."""
    asked = []

    class Replica(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            if self.path.endswith(WAITS):
                self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()
            # A connection closed while the proxy still writes is a 502, whatever was answered.
            with suppress(ConnectionError):
                while self.rfile.read1():
                    pass

        do_POST = do_PUT = do_GET

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        # As many as a class sends at once.
        request_queue_size = 2 * MOST_AT_ONCE

    with Server(("127.0.0.1", 0), Replica) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nginx")
    with listening() as (replica, asked), proxied(folder, [replica]) as address:
        yield urlsplit(address).port, asked, folder


@contextmanager
def sending(port, path, length, body=b""):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as sent:
        head = f"POST {path} HTTP/1.1\r\nHost: class\r\nContent-Length: {length}\r\n\r\n"
        sent.sendall(head.encode() + body)
        yield sent


def status(sent):
    return int(sent.recv(4096).split()[1])


@pytest.mark.parametrize(
    ("path", "length"),
    [
        ("/sign-in", FORMS_MOST + 1),
        ("/", UPLOADS_MOST),
        ("/_stcore/stream", FORMS_MOST + 1),
        (UPLOAD, UPLOADS_MOST + 1),
        (UPLOAD + "/../../../../sign-in", FORMS_MOST + 1),
    ],
)
def test_what_is_larger_than_its_place_needs_is_refused_unread(proxy, path, length):
    port, asked, _ = proxy
    del asked[:]
    with sending(port, path, length) as sent:
        assert status(sent) == 413
    assert not asked


def test_the_replica_is_asked_before_a_body_has_come_and_none_is_kept(proxy):
    port, asked, folder = proxy
    del asked[:]
    with sending(port, UPLOAD, UPLOADS_MOST, bytes(2**20)) as sent:
        assert status(sent) == 200
        assert asked == [UPLOAD]
        assert not [each for each in (folder / "body").rglob("*") if each.is_file()]


def test_a_machine_uploads_no_more_at_once_than_a_class_does(proxy):
    port, asked, _ = proxy
    with ExitStack() as held:
        # The replica waits for what they lead to.
        waits = f"{UPLOAD}?{WAITS}"
        for _ in range(MOST_AT_ONCE):
            held.enter_context(sending(port, waits, 1000, b"-"))
        deadline = time.monotonic() + SECONDS
        while asked.count(waits) < MOST_AT_ONCE:
            assert time.monotonic() < deadline, "the replica was not asked"
            time.sleep(0.05)
        with sending(port, UPLOAD, 1000, b"-") as sent:
            assert status(sent) == 429
        with sending(port, "/sign-in", 1000, b"-") as sent:
            assert status(sent) == 200
