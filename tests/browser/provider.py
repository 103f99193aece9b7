"""A small provider of accounts (OpenID Connect) for tests: whoever asks has signed in already."""

import base64
import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT = {"client_id": "lab", "client_secret": "of-the-lab"}


class Provider:
    """Says of everybody the same."""

    def __init__(self, address: str) -> None:
        """Begin with a key of its own, and nothing to say."""
        self.address, self.said = address, {}
        self.key = RSAKey.generate_key(2048, {"kid": "a", "use": "sig", "alg": "RS256"})
        self.nonces: dict[str, str] = {}

    def found_at(self, path: str, query: Mapping[str, list[str]]) -> tuple[int, dict[str, object]]:
        """Return status and what is said, or where to go on (`location`)."""
        if path == "/.well-known/openid-configuration":
            return 200, self._about()
        if path == "/keys":
            return 200, {"keys": [self.key.as_dict(private=False)]}
        if path == "/authorize":
            code = f"code-{len(self.nonces)}"
            self.nonces[code] = query["nonce"][0]
            back = urlencode({"code": code, "state": query["state"][0]})
            return 302, {"location": f"{query['redirect_uri'][0]}?{back}"}
        return 404, {}

    def token(self, form: Mapping[str, list[str]]) -> dict[str, object]:
        """Return what a code stands for."""
        now = int(time.time())
        claims = {
            **{"iss": self.address, "aud": CLIENT["client_id"], "iat": now, "exp": now + 600},
            **{"nonce": self.nonces.pop(form["code"][0]), **self.said},
        }
        token = jwt.encode({"alg": "RS256", "kid": "a"}, claims, self.key)
        return {"access_token": "x", "token_type": "Bearer", "expires_in": 600, "id_token": token}

    def _about(self) -> dict[str, object]:
        return {
            "issuer": self.address,
            "authorization_endpoint": f"{self.address}/authorize",
            "token_endpoint": f"{self.address}/token",
            "jwks_uri": f"{self.address}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }


@contextmanager
def served() -> Iterator[Provider]:
    """Serve a provider as long as the context lasts."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            self._say(*provider.found_at(asked.path, parse_qs(asked.query)))

        def do_POST(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            _, _, given = self.headers.get("Authorization", "").partition(" ")
            known = base64.b64decode(given).decode() == ":".join(CLIENT.values())
            self._say(200, provider.token(form)) if known else self._say(401, {})

        def _say(self, status: int, what: dict[str, object]) -> None:
            self.send_response(status)
            if status == 302:
                self.send_header("Location", str(what["location"]))
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(what).encode())

        def log_message(self, *_said: object) -> None:
            """Say nothing in the tests' output."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        provider = Provider(f"http://127.0.0.1:{server.server_port}")
        Thread(target=server.serve_forever, daemon=True).start()
        yield provider
        server.shutdown()
