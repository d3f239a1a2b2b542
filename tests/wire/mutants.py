"""Ways of building the product wrongly, each of which the history checker must catch.

A mutant is a copy of the packages in a directory of the test's own with a passage of the source replaced:
the product has no hooks for tests. The invariant: a passage that is not found exactly once is an error,
never a mutant that happens to behave.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.wire.processes import ROOT


@dataclass(frozen=True, slots=True)
class Patch:
    """One passage of one file, and what stands there instead."""

    file: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong product, and the checker's rules of which at least one must catch it."""

    name: str
    patches: tuple[Patch, ...]
    rules: frozenset[str]


MUTANTS = (
    # A command whose answer was lost is asked again and done again, or refused although it was done.
    Mutant(
        "no dedupe",
        (Patch("server/store/shared.lua", "if last then", "if false then"),),
        frozenset({"refused", "unasked", "twice", "answer"}),
    ),
    # A worker with an old copy writes it over what another has saved.
    Mutant(
        "no compare-and-set",
        (Patch("server/store/commit.lua", "ver ~= tonumber(expect_ver)", "false"),),
        frozenset({"fold", "twice", "snapshot", "game", "refused"}),
    ),
    # What the channel brings is passed on whether or not something before it is missing.
    Mutant(
        "no gap check",
        (
            Patch(
                "server/rooms/gate.py",
                "        if batch.seq > self.seq + 1:\n"
                "            return Verdict.HOLE\n"
                "        if batch.previous_mark != self.mark:\n"
                "            return Verdict.FORK\n",
                "",
            ),
        ),
        frozenset({"run"}),
    ),
    # A reveal is answered while it is still on its way to the store.
    Mutant(
        "acknowledge before commit",
        (
            Patch(
                "server/rooms/rooms.py",
                '        return await act(live, decide, guest=member.guest, cmd=cmd) or Refusal("turning")\n',
                "        early = decide(live.room)\n"
                "        if isinstance(early, Refusal):\n"
                "            return early\n"
                "        live.spawn(act(live, decide, guest=member.guest, cmd=cmd))\n"
                "        return Accepted()\n",
            ),
        ),
        frozenset({"early answer"}),
    ),
)

# What people do to each other is not held to what the host has said.
RUDE_MUTANTS = (
    Mutant(
        "the muted speak",
        (Patch("server/rooms/chat.py", "if context.guest in room.muted:", "if False:"),),
        frozenset({"muted"}),
    ),
    Mutant(
        "chat is never off",
        (Patch("server/rooms/chat.py", 'if room.settings.chat == "off":', "if False:"),),
        frozenset({"chat"}),
    ),
    Mutant(
        "no lock holds",
        (Patch("server/rooms/lobby.py", "if room.settings.locked:", "if False:"),),
        frozenset({"seated"}),
    ),
    Mutant(
        "the removed return",
        (Patch("server/rooms/rooms.py", "shut_out = live.shut_out(socket.guest, token)", "shut_out = None"),),
        frozenset({"removed"}),
    ),
    Mutant(
        "the removed go on listening",
        (Patch("server/rooms/live.py", "        member.ended = why\n        self.part(member)\n", ""),),
        frozenset({"quiet", "removed"}),
    ),
    Mutant(
        "a pause turns cards",
        (Patch("server/rooms/play.py", "if room.turn is None or room.paused:", "if room.turn is None:"),),
        frozenset({"paused"}),
    ),
)


def copied(folder: Path, patches: tuple[Patch, ...] = ()) -> Path:
    """Copy the packages into `folder`, apply the patches, and return where to run a worker from.

    Raises AssertionError for a patch whose old text is not there exactly once.
    """
    for package in ("engine", "server"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    if (ROOT / "web").exists():
        (folder / "web").symlink_to(ROOT / "web")
    for patch in patches:
        path = folder / patch.file
        source = path.read_text("utf-8")
        found = source.count(patch.old)
        assert found == 1, f"{patch.file} has {found} times, not once:\n{patch.old}"
        path.write_text(source.replace(patch.old, patch.new), "utf-8")
    return folder
