"""`companion`, on a system that lacks what Windows lacks: `python tests/without_posix.py serve …`.

What others brought along is loaded before, since they ask what system it is; ours must do without. `msvcrt`,
which Windows has instead, is imitated by the very call that it stands for.
"""

from __future__ import annotations

import builtins
import os
import signal
import socket
import sys
import types
from typing import Any

from gevent import monkey

monkey.patch_all()

import fcntl  # noqa: E402

import flask  # noqa: E402, F401
import gevent.pywsgi  # noqa: E402
import gevent.subprocess  # noqa: E402, F401
import ifaddr  # noqa: E402, F401
import sqlmodel  # noqa: E402, F401

MODULES = {"fcntl", "grp", "posix", "psycopg", "pty", "pwd", "redis", "resource", "syslog", "termios", "tty"}
MISSING: dict[Any, str] = {
    os: "fork forkpty geteuid getgid getloadavg getuid killpg mkfifo nice posix_spawn posix_spawnp O_CLOEXEC"
    " O_DIRECTORY O_NONBLOCK POSIX_SPAWN_DUP2 SCHED_IDLE SCHED_OTHER sched_param sched_setscheduler"
    " sched_getaffinity set_blocking uname wait WNOHANG",
    signal: "SIGCHLD SIGHUP SIGKILL SIGQUIT SIGSTOP SIGUSR1 SIGUSR2 alarm pause setitimer",
    socket: "AF_UNIX MSG_DONTWAIT MSG_NOSIGNAL SCM_RIGHTS SO_REUSEPORT TCP_USER_TIMEOUT recv_fds send_fds",
}


def hide() -> None:
    imports = builtins.__import__

    def ours_do_without(name: str, globals: Any = None, *more: Any, **other: Any) -> Any:
        if name in MODULES and str((globals or {}).get("__name__", "")).startswith("companion"):
            raise ImportError(f"there is no {name} here")
        return imports(name, globals, *more, **other)

    builtins.__import__ = ours_do_without
    import importlib

    by_name = importlib.import_module

    def nor_by_name(name: str, package: str | None = None) -> Any:
        if name in MODULES:
            raise ImportError(f"there is no {name} here")
        return by_name(name, package)

    importlib.import_module = nor_by_name
    for module, names in MISSING.items():
        for name in names.split():
            vars(module).pop(name, None)
    sys.modules["msvcrt"] = _msvcrt()


def _msvcrt() -> types.ModuleType:
    module: Any = types.ModuleType("msvcrt")
    module.LK_NBLCK, module.LK_UNLCK = 2, 0

    def locking(file: int, how: int, size: int) -> None:
        assert os.lseek(file, 0, os.SEEK_CUR) > 0, (
            "what is locked cannot be read, so nothing must stand there"
        )
        fcntl.flock(file, fcntl.LOCK_UN if how == module.LK_UNLCK else fcntl.LOCK_EX | fcntl.LOCK_NB)

    module.locking = locking
    return module


if __name__ == "__main__":
    hide()
    from companion.__main__ import main

    sys.exit(main())
