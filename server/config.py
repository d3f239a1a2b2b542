"""The settings, and the only reader of the environment.

Every setting is here, with its bounds and what it means; `rang-milanti serve --help` prints them.
No other file reads `os.environ`. Invariant: a Config is whole and within its bounds, or is not made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, ValidationError, field_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

PREFIX = "RM_"

Network = IPv4Network | IPv6Network


class ConfigError(Exception):
    """A setting is wrong; the text says which and what it may be, one line a setting."""


class Config(BaseSettings):
    """How this server runs. Times are ms; a rate of 0 is none."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="ignore", env_ignore_empty=True, hide_input_in_errors=True
    )

    host: str = Field("localhost", description="address to listen on; 0.0.0.0 for all of this machine's")
    port: int = Field(8000, ge=0, le=65_535, description="port to listen on; 0 for any that is free")
    data_dir: Path = Field(Path("data"), description="where the embedded store keeps its files")
    app_dir: Path = Field(Path(__file__).resolve().parent.parent / "web" / "dist", description="where the built app is")
    redis_url: str | None = Field(
        None,
        repr=False,
        description="an outside Valkey 7.2+ or Redis 7.0+ instead of the embedded one, "
        "as redis://, rediss:// or unix://",
    )
    public_url: str | None = Field(
        None,
        description="what people type to get here, as https://example.org; with https, cookies are Secure",
    )
    beat_ms: int = Field(1000, ge=1, le=60_000, description="the table's beat: how fast cards turn themselves")
    away_ms: int = Field(20_000, ge=1, le=3_600_000, description="how long without a connection until a person is away")
    nudge_ms: int = Field(20_000, ge=0, le=3_600_000, description="a table's nudges are this far apart")
    host_ms: int = Field(
        60_000, ge=1, le=3_600_000, description="how long the host is gone until another person who is there is host"
    )
    idle_ms: int = Field(
        60_000, ge=1, le=3_600_000, description="how long a person lets a card lie until the host may turn it for them"
    )
    ttl_ms: int = Field(86_400_000, ge=1_000, description="how long a table lives after its last activity")
    unvisited_ms: int = Field(
        7_200_000, ge=1_000, description="the same for a table to which nobody but its maker ever came"
    )
    rate_refused: int = Field(20, ge=0, description="refused reveals a second and connection")
    rate_commands: int = Field(10, ge=0, description="other commands a second and connection")
    rate_says: int = Field(5, ge=0, description="lines of chat in ten seconds, a guest and table")
    rate_tables: int = Field(30, ge=0, description="tables made a minute and address")
    rate_sockets: int = Field(200, ge=0, description="open sockets an address")
    trusted_proxies: Annotated[tuple[Network, ...], NoDecode] = Field(
        (), description="networks whose X-Forwarded-For is believed, as 10.0.0.0/8,::1; none by default"
    )
    fsync: Literal["everysec", "always"] = Field(
        "everysec",
        description="when the embedded store's log reaches the disk; `always` outlives a power cut too",
    )
    wait_replicas: int = Field(0, ge=0, le=16, description="acknowledge only what this many replicas of the store have")
    notice_file: Path | None = Field(None, description="a local HTML fragment or picture for the foot of the home page")
    log: Literal["json", "text"] | None = Field(
        None, description="how to log; text in a terminal, else JSON, unless set"
    )

    @field_validator("public_url")
    @classmethod
    def _origin_only(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value.rstrip("/"))
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path or parts.query:
            raise ValueError("must be http:// or https:// and a host, and nothing after it")
        return f"{parts.scheme}://{parts.netloc}".lower()

    @field_validator("redis_url")
    @classmethod
    def _known_scheme(cls, value: str | None) -> str | None:
        if value is not None and urlsplit(value).scheme not in ("redis", "rediss", "unix"):
            raise ValueError("must begin with redis://, rediss:// or unix://")
        return value

    @field_validator("trusted_proxies", mode="before")
    @classmethod
    def _networks(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        return tuple(ip_network(part.strip(), strict=False) for part in value.split(",") if part.strip())

    @field_validator("notice_file")
    @classmethod
    def _readable(cls, value: Path | None) -> Path | None:
        if value is not None and not value.is_file():
            raise ValueError("must be a file that is there")
        return value

    @property
    def secure(self) -> bool:
        """Say whether people come by https, so that cookies must be Secure."""
        return (self.public_url or "").startswith("https://")


def load(overrides: Mapping[str, Any] | None = None) -> Config:
    """Read the environment; `overrides` (by field name, None for not given) win over it.

    Raises:
        ConfigError: its text is for the operator; never a value, which may be a secret.
    """
    given = {name: value for name, value in (overrides or {}).items() if value is not None}
    try:
        return Config(**given)
    except ValidationError as error:
        raise ConfigError("\n".join(_in_words(error.errors(include_url=False)))) from None


def _in_words(errors: Iterable[ErrorDetails]) -> Iterator[str]:
    for error in errors:
        name = PREFIX + str(error["loc"][0]).upper()
        words = error["msg"].removeprefix("Value error, ")
        yield f"{name}: {words[:1].lower()}{words[1:]}"


def table() -> tuple[tuple[str, str, str], ...]:
    """Return every setting as (variable, default, description), in the order of their writing."""
    return tuple(
        (PREFIX + name.upper(), _default(name, field.default), field.description or "")
        for name, field in Config.model_fields.items()
    )


def _default(name: str, value: object) -> str:
    if name == "app_dir":
        return "web/dist"
    return "" if value is None or value == () else str(value)
