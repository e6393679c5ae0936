"""Copies of the app that are broken on purpose: a checker that cannot fail proves nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

from at_the_table import OUTSIDE

from companion import HERE, ROOT
from companion.web import compiled


class Copy:
    """The app in a folder of its own, where it can be broken."""

    def __init__(self, folder: Path) -> None:
        self.package = folder / "companion"
        # With what Python compiled, so that only what is broken is compiled anew.
        shutil.copytree(HERE, self.package, ignore=shutil.ignore_patterns("templates*", "static"))
        for name in ("templates", "static"):
            (folder / name).symlink_to(ROOT / name)
        self._take_compiled_templates(folder)
        # Nothing else in the path comes first, not even the folder that we are in.
        self.env = {"PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1", **OUTSIDE}

    def _take_compiled_templates(self, folder: Path) -> None:
        """Each is kept under the name of where its source lies, which is another here."""
        ours = compiled._folder()  # noqa: SLF001
        theirs = self.package / "__pycache__" / ours.name
        kept = compiled.Compiled(str(ours))
        theirs.mkdir()
        for source in (*(ROOT / "templates").rglob("*.html"), *HERE.rglob("faces/*.html")):
            there = folder / source.relative_to(ROOT)
            was, name = (kept.pattern % kept.get_cache_key("", str(each)) for each in (source, there))
            if (ours / was).exists():
                shutil.copy(ours / was, theirs / name)

    def replace(self, file: str, old: str, new: str) -> None:
        """Breaks one line; if the app no longer has that line, this proof must be written anew."""
        path = self.package / file
        source = path.read_text("utf-8")
        assert source.count(old) == 1, f"{file} does not say {old!r} once"
        path.write_text(source.replace(old, new), "utf-8")

    def forget_tap_ids(self) -> None:
        self.replace("sittings/play.py", "known = journal.taps.get(tap)", "known = None")
        self.replace("storage/rows.py", '__table_args__ = (UniqueConstraint("sitting_id", "tap"),)', "")

    def answer_before_commit(self) -> None:
        """A trip to the disk that brings taps is committed only once in fifty."""
        begin, commit = 'disk.execute("BEGIN IMMEDIATE")', "waiting(partial(self._commit, disk))"
        newest = 'disk.execute("SELECT command FROM entry ORDER BY rowid DESC").fetchone()'
        later = f'{newest} == ("count",) and __import__("random").random() > 0.02'
        self.replace("storage/appends.py", begin, f"disk.in_transaction or {begin}")
        self.replace("storage/one_writer.py", commit, f"({later}) or {commit}")

    def answer_before_the_shared_trip(self) -> None:
        self.replace(
            "storage/store.py",
            "                self._write_all(batch)\n",
            "                for each in batch:\n"
            "                    each.why_not, each.settled = None, True\n"
            "                    each.call()\n"
            "                    each.then = None\n"  # or it would be answered a second time
            "                time.sleep(0.05)\n"
            "                self._write_all(batch)\n",
        )

    def trust_the_kernel(self) -> None:
        """Nothing waits for the disk: what was written is there after a kill, but not after a power cut."""
        self.replace("storage/database.py", "synchronous=FULL", "synchronous=NORMAL")

    def ask_nobody_for_rights(self) -> None:
        self.replace("core/decide.py", "_check_right(state.table, phone, right(command))", "pass")

    def stumble_over_slips(self) -> None:
        """Over what is no number, and over what is missing."""
        self.replace(
            "core/command.py", "except ValidationError as error:", "except ZeroDivisionError as error:"
        )
        missing = 'raise Refused(f"{_spoken(name, labels())} is missing.")'
        self.replace("core/command.py", missing, "raise ZeroDivisionError")

    def believe_the_file_is_there(self) -> None:
        looks = "self._check_place()  # or it was written to what nobody will ever read"
        self.replace("storage/one_writer.py", looks, "pass")
