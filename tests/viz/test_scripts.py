"""The arithmetic of the scripts, tested by node: Playwright brings one."""

import base64
import json
import os
import subprocess
from pathlib import Path

import pytest
from playwright._impl._driver import compute_driver_executable

from tests.browser.apps import (
    decoding_cases,
    descent_cases,
    lines_cases,
    maps_cases,
    matrices_cases,
    strips_cases,
    whole_cases,
)
from viz.component.assets import tables_module
from viz.descent import descent
from viz.direction import isolated
from viz.lines import lines
from viz.plane import maps, matrices, strips
from viz.stepper.decoding import pack_decoding
from viz.whole import whole as wholes

NODE, _ = compute_driver_executable()
TESTS = Path(__file__).parent
COMPONENTS = {
    "descent": (descent_cases, descent.pack),
    "lines": (lines_cases, lines.pack),
    "maps": (maps_cases, maps.pack),
    "matrices": (matrices_cases, matrices.pack),
    "stepper": (decoding_cases, pack_decoding),
    "strips": (strips_cases, strips.pack),
    "whole": (whole_cases, wholes.pack),
}
TOKENS = (
    *("it", "سلام", "می‌خواهم", "ר.", "नमस्ते", "👨‍👩‍👧", "1️⃣", "٣", "{key}", ""),
    *("\u2069 it", "\u202eit", "\u2067it", "⁦سلام⁩", "a ܐ b", "𐤀"),
)
TOO_LARGE = "lines.long"


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """What setup.js reads: the scales, payloads of all cases, and isolated texts."""
    packed = {
        f"{name}.{case}": pack(made())
        for name, (cases, pack) in COMPONENTS.items()
        for case, made in cases.CASES.items()
        if f"{name}.{case}" != TOO_LARGE
    }
    packed["maps.german"] = maps.pack(maps_cases.known(), locale="de")
    packed["isolated"] = json.dumps([[token, isolated(token)] for token in TOKENS]).encode()
    path = tmp_path_factory.mktemp("scripts") / "payloads.json"
    path.write_text(json.dumps({name: base64.b64encode(b).decode() for name, b in packed.items()}))
    return os.environ | {"PAYLOADS": str(path), "TABLES": tables_module()}


def test_scripts_compute_what_their_own_tests_say(environment):
    # In one process: each would read all payloads anew.
    command = [NODE, "--import", str(TESTS / "setup.js"), "--test", "--test-isolation=none"]
    command += sorted(map(str, TESTS.rglob("*.test.js")))
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
