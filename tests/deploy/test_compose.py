from pathlib import Path

import yaml

from classroom import cookie, settings
from classroom.guard import HEALTH

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
REPLICA, PROXY = (COMPOSE["services"][name] for name in ("seq2see", "proxy"))


def test_what_the_services_are_made_of_is_there():
    assert (ROOT / REPLICA["build"]["dockerfile"]).is_file()
    mounted = [each.split(":")[0] for each in PROXY["volumes"]]
    assert mounted
    assert all((DEPLOY / each).is_file() for each in mounted)
    assert {each.split(":")[0] for each in REPLICA["volumes"]} == set(COMPOSE["volumes"])


def test_the_proxy_waits_for_what_every_replica_answers():
    image = (DEPLOY / "Containerfile").read_text()
    assert HEALTH in image
    assert HEALTH in PROXY["healthcheck"]["test"][-1]
    assert PROXY["depends_on"]["seq2see"]["condition"] == "service_healthy"
    assert f"ENV {settings.FOLDER_NAMED}=" in image


def test_visitors_stay_with_a_replica_by_the_cookie_of_the_class():
    assert f"map $cookie_{cookie.NAME} $visitor" in (DEPLOY / "nginx.conf").read_text()


def test_no_password_gets_into_an_image_or_a_commit():
    ignored = (DEPLOY / "Containerfile.dockerignore").read_text().splitlines()
    assert {"deploy/class.env", ".streamlit/secrets.toml", "runs"} <= set(ignored)
    assert "/deploy/class.env" in (ROOT / ".gitignore").read_text().splitlines()
