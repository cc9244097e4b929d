"""I2: the image is small, pinned and runs as nobody in particular."""

import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
DOCKERFILE = PROJECT / "docker" / "Dockerfile"
LAST_STAGE = DOCKERFILE.read_text().split("\nFROM ")[-1]


def test_it_passes_the_linter() -> None:
    hadolint = Path(sys.executable).parent / "hadolint"
    told = subprocess.run([hadolint, DOCKERFILE], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stdout) == (0, "")


def test_it_runs_as_a_user_without_rights() -> None:
    assert "\nUSER 10001:10001\n" in LAST_STAGE
    assert LAST_STAGE.index("\nUSER ") < LAST_STAGE.index("\nENTRYPOINT ")
    assert LAST_STAGE.count("\nUSER ") == 1


def test_it_leaves_no_tools_to_build_with() -> None:
    assert "pip install" not in LAST_STAGE
    assert "apt-get" not in LAST_STAGE


def test_it_checks_its_own_health() -> None:
    assert "\nHEALTHCHECK " in LAST_STAGE


def test_it_keeps_models_in_a_volume_that_its_user_may_write() -> None:
    assert "\nVOLUME /var/lib/hindsight/models\n" in LAST_STAGE
    assert LAST_STAGE.index("--owner=hindsight") < LAST_STAGE.index("\nVOLUME ")


def test_it_pins_what_is_installed() -> None:
    lines = (PROJECT / "requirements.txt").read_text().splitlines()
    assert any(line.startswith("torch==") for line in lines)
    assert "-r /tmp/requirements.txt" in DOCKERFILE.read_text()


def test_it_sends_the_builder_only_what_exists_and_is_needed() -> None:
    lines = (DOCKERFILE.parent / "Dockerfile.dockerignore").read_text().splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    assert rules[0] == "*"
    wanted = {rule[1:] for rule in rules if rule.startswith("!")}
    assert {name for name in wanted if not (PROJECT / name).exists()} <= {"locale"}
    assert not wanted & {"tests", "var", ".venv", ".git", "docs"}
