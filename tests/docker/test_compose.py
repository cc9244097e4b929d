"""I2: compose.yml is valid, holds no secret, and everything waits for what it needs."""

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

DOCKER = Path(__file__).resolve().parents[2] / "docker"
TEXT = (DOCKER / "compose.yml").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
ROLES = ("web", "worker", "beat", "mcp", "embedder", "migrate")
REFERENCE = re.compile(r"\$\{([A-Z_]+)(:[-?])?([^}]*)\}")


def test_it_follows_the_compose_specification() -> None:
    package = importlib.util.find_spec("check_jsonschema")
    assert package
    assert package.origin
    schema = Path(package.origin).parent / "builtin_schemas" / "vendor" / "compose-spec.json"
    jsonschema.validate(COMPOSE, json.loads(schema.read_text()))


def test_it_has_every_part_of_the_product() -> None:
    assert set(SERVICES) == {"database", "redis", *ROLES}
    assert all(SERVICES[role]["command"] == [role] for role in ROLES)


def test_it_names_a_version_of_every_image() -> None:
    for name, service in SERVICES.items():
        tag = service["image"].partition(":")[2]
        assert tag, name
        assert tag != "latest", name


@pytest.mark.parametrize("name", ["POSTGRES_PASSWORD", "REDIS_PASSWORD", "SECRET_KEY"])
def test_it_has_no_default_secret(name: str) -> None:
    uses = [operator for used, operator, _ in REFERENCE.findall(TEXT) if used == name]
    assert uses
    assert set(uses) == {":?"}


def test_it_checks_the_health_of_all_that_keeps_running() -> None:
    for name, service in SERVICES.items():
        healthcheck = service["healthcheck"]
        assert healthcheck.get("test") or (name == "migrate" and healthcheck["disable"]), name


@pytest.mark.parametrize("role", ["web", "worker", "mcp", "beat"])
def test_it_starts_a_role_after_the_migration(role: str) -> None:
    needs = SERVICES[role]["depends_on"]
    assert needs["migrate"]["condition"] == "service_completed_successfully"
    assert needs["database"]["condition"] == needs["redis"]["condition"] == "service_healthy"
    assert ("embedder" in needs) == (role != "beat")


def test_it_keeps_data_and_models_in_volumes() -> None:
    kept = {mount.partition(":")[0] for s in SERVICES.values() for mount in s.get("volumes", [])}
    assert kept == set(COMPOSE["volumes"]) == {"database", "redis", "models"}


def test_it_shows_the_servers_to_nobody_outside() -> None:
    assert COMPOSE["networks"]["inside"]["internal"] is True
    for name in ("database", "redis"):
        assert SERVICES[name]["networks"] == ["inside"]
        assert "ports" not in SERVICES[name]


def test_it_publishes_on_loopback_unless_told_otherwise() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert len(ports) == 2
    assert all(":-127.0.0.1:" in port for port in ports)


@pytest.mark.parametrize("role", ROLES)
def test_it_takes_from_a_role_what_it_does_not_need(role: str) -> None:
    service = SERVICES[role]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


def test_it_explains_every_variable_with_the_default_that_is_used() -> None:
    lines = (DOCKER / ".env.example").read_text().splitlines()
    example = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    used = {name: default for name, operator, default in REFERENCE.findall(TEXT) if operator}
    secrets = {"POSTGRES_PASSWORD", "REDIS_PASSWORD", "SECRET_KEY"}
    assert example == {n: "" if n in secrets else default for n, default in used.items()}
    for before, line in zip(["", *lines], lines, strict=False):
        assert line.startswith("#") or not line or before.startswith("#"), line
