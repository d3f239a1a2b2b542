"""The command line: `rang-milanti serve | simulate | check | tag | version`. Wiring only.

Invariant: whatever is wrong with what was asked is said in words, with exit status 2 (asked wrongly) or 1.
"""

from __future__ import annotations

import sys
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from typer.core import TyperCommand

from server import config as settings
from server.ports import StoreDownError

app = typer.Typer(
    name="rang-milanti",
    help="A table on the web for Rang Milanti, a Bengali children's card game.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


class _WithSettings(TyperCommand):
    """A command whose help ends with every setting of the environment."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super().format_help(ctx, formatter)
        table = Table("Variable", "Meaning", "Default", title="Settings (environment)", title_justify="left")
        table.columns[0].no_wrap = True
        for name, default, description in settings.table():
            table.add_row(name, description, default)
        Console(width=max(100, Console().width)).print(table)


@app.command(cls=_WithSettings)
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on (RM_HOST).")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on (RM_PORT).")] = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="Where the embedded store keeps its files (RM_DATA_DIR).")
    ] = None,
) -> None:
    """Serve the game until Ctrl-C. Options win over the environment."""
    from server import logs, serving
    from server.store.launcher import LaunchError

    try:
        config = settings.load({"host": host, "port": port, "data_dir": data_dir})
    except settings.ConfigError as error:
        _fail(str(error), 2)
    logs.set_up(config.log)
    try:
        serving.serve(config, lambda url: print(f"Rang Milanti is on {url} (Ctrl-C ends it)", flush=True))
    except LaunchError as error:
        _fail(str(error), 1)
    except StoreDownError:
        _fail("The store of RM_REDIS_URL does not answer.", 1)
    except OSError as error:
        _fail(f"Cannot listen on {config.host}, port {config.port}: {error.strerror or error}", 1)


@app.command()
def simulate(
    games: Annotated[int, typer.Option(min=1, max=10_000_000, help="Games for each number of seats.")] = 20_000,
    seats: Annotated[str, typer.Option(help="Seats, one number or a range.", metavar="N or N-M")] = "2-6",
    deck: Annotated[str, typer.Option(help="standard, double or leftovers.")] = "standard",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Play many games on all cores and say how long they take and who wins."""
    low, _, high = seats.partition("-")
    if not low.isdecimal() or not (high or low).isdecimal() or not 2 <= int(low) <= int(high or low) <= 8:
        _fail("--seats takes a number from 2 to 8 or a range, as 4 or 2-6.", 2)
    from server import simulation

    try:
        simulation.run(games, range(int(low), int(high or low) + 1), deck, as_json=as_json)
    except ValueError as error:
        _fail(str(error), 2)


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="A saved log or receipt.", exists=True, dir_okay=False)],
) -> None:
    """Work a saved game out again from its seed, and say what is wrong where."""
    from server.check import check_file, notes_of

    faults = check_file(file)
    for line in faults or ["All of it holds.", *notes_of(file)]:
        print(line)
    raise typer.Exit(1 if faults else 0)


@app.command()
def tag(table: Annotated[str, typer.Argument(help="A table's link, or its id.")]) -> None:
    """Print what the log calls a table."""
    from server.protocol import ids

    bare = ids.canonical(table.partition("#")[0].partition("?")[0].rstrip("/").rpartition("/")[2])
    if bare is None:
        _fail("That is no table's link.", 2)
    else:
        print(ids.tag(bare))


@app.command()
def version() -> None:
    """Print the version."""
    print(version_of("rang-milanti"))


def _fail(words: str, status: int) -> Any:
    print(words, file=sys.stderr)
    raise typer.Exit(status)


if __name__ == "__main__":
    app()
