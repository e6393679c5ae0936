"""README's page for a server, followed word for word on a Debian root that debootstrap has just made.

    make bare                  # as root, with debootstrap and systemd-nspawn; a quarter of an hour

systemd is the first process there, in a container with the machine's own network, so ports 80, 443, 5432,
6379, 8000 and 9464 must be free. Then the page is opened through Caddy, tables are played, the server killed,
a backup made by its unit, and the next version put in place and taken back.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = "/root/companion"
PLAY = """
import http.client, json, re, secrets, ssl, sys
from urllib.parse import urlencode

root = "/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt"
line = http.client.HTTPSConnection("localhost", context=ssl.create_default_context(cafile=root), timeout=30)
kept = "/root/kept.json"


def ask(method, path, form=None, cookie=""):
    headers = {"Origin": "https://localhost", "Cookie": cookie}
    headers |= {"Content-Type": "application/x-www-form-urlencoded"}
    line.request(method, path, urlencode(form, doseq=True) if form else None, headers)
    answer = line.getresponse()
    return answer, answer.read().decode()


def tap(code, cookie):
    form = {"tap": secrets.token_hex(8), "seat": 1, "counter": "1", "by": 1, "round": 1}
    answer, text = ask("POST", f"/s/{code}/do/count", form, cookie)
    assert answer.status == 201, (answer.status, text)
    return json.loads(text)["version"]


if sys.argv[1] == "open":
    answer, page = ask("GET", "/")
    assert answer.status == 200 and "Any game" in page
    assert answer.headers["Strict-Transport-Security"] and answer.headers["Content-Security-Policy"]
    form = {"tap": secrets.token_hex(8), "mine": "k1", "starter": "k1", "key": ["k1", "k2"]}
    form |= {"name": ["Ada", "Bob"], "colour": ["coral", "sky"], "symbol": ["sun", "moon"]}
    answer, text = ask("POST", "/open/any-game", form)
    code = re.search(r"/s/(\\w{6})/people", answer.headers["Location"] or text)[1]
    cookie = answer.headers["Set-Cookie"].partition(";")[0]
    assert "Secure" in answer.headers["Set-Cookie"]
    json.dump([code, cookie, 1], open(kept, "w"))
code, cookie, before = json.load(open(kept))
version = tap(code, cookie)
assert version == before + 1, "a tap is missing"
json.dump([code, cookie, version], open(kept, "w"))
print("table", code, "version", version)
"""


class Bare:
    """The root, and systemd in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.container: subprocess.Popen[bytes] | None = None
        self.first = 0  # the process that is number 1 inside

    def make(self) -> None:
        include = "--include=systemd,systemd-sysv,dbus"
        say("debootstrap")
        subprocess.run(
            ["debootstrap", "--variant=minbase", include, "bookworm", str(self.folder)], check=True
        )

    def furnish(self) -> None:
        """This project as git has it, and whom this machine trusts."""
        project = self.folder / PROJECT.lstrip("/")
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, text=True, check=True,
        ).stdout.split()  # fmt: skip
        for name in listed:
            if (ROOT / name).is_file():
                (project / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, project / name)
        trusted = Path("/usr/local/share/ca-certificates")
        if trusted.is_dir():
            shutil.copytree(trusted, self.folder / str(trusted).lstrip("/"), dirs_exist_ok=True)
        (self.folder / "root/play.py").write_text(PLAY)
        (self.folder / "etc/hosts").write_text("127.0.0.1 localhost\n::1 localhost\n")  # as installers do

    def boot(self) -> None:
        say("systemd starts as the first process")
        words = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--resolv-conf=replace-host"]
        console = (self.folder.parent / "console.log").open("wb")
        self.container = subprocess.Popen(
            [*words, f"--directory={self.folder}", "--console=pipe", "--boot"], stdout=console, stderr=console
        )
        until = time.monotonic() + 60
        while time.monotonic() < until and self.container.poll() is None:
            self.first = self.first or child_of(self.container.pid)
            state = self.run("systemctl is-system-running", quiet=True, check=False) if self.first else ""
            if state.strip() in ("running", "degraded"):
                return
            time.sleep(0.5)
        raise SystemExit(
            "systemd did not come up:\n" + (self.folder.parent / "console.log").read_text("utf-8", "replace")
        )

    def run(self, script: str, quiet: bool = False, check: bool = True) -> str:
        """In there, in the project's folder."""
        clean = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8", *given()]
        enter = ["nsenter", f"--target={self.first}", "--all", *clean, "sh", "-e" if quiet else "-ex", "-c"]
        done = subprocess.run(
            [*enter, f"cd {PROJECT}\n{script}"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL if quiet else None, text=True, check=False,
        )  # fmt: skip
        if done.stdout and not quiet:
            print(done.stdout, end="", flush=True)
        if check and done.returncode:
            self.run("journalctl --no-pager --lines=60 || true", check=False)
            raise SystemExit(f"This did not go well ({done.returncode}):\n{script}")
        return done.stdout

    def close(self) -> None:
        if self.container and self.container.poll() is None:
            os.kill(self.first or self.container.pid, signal.SIGRTMIN + 4)  # as poweroff does
            try:
                self.container.wait(60)
            except subprocess.TimeoutExpired:
                self.container.kill()


def given() -> list[str]:
    """How this machine reaches the packages that it may install."""
    proxies = ("http_proxy", "https_proxy", "no_proxy")
    names = (*proxies, "PIP_INDEX_URL", "PIP_CERT", "NPM_CONFIG_REGISTRY", "NODE_EXTRA_CA_CERTS")
    return [f"{name}={os.environ[name]}" for name in names if name in os.environ]


def child_of(pid: int) -> int:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(children[0]) if children else 0


def blocks() -> list[str]:
    """What the page says to type."""
    page = (ROOT / "README.md").read_text("utf-8").partition("### On a server")[2].partition("\n### ")[0]
    return re.findall(r"```sh\n(.+?)```", page, re.DOTALL)


def say(what: str) -> None:
    print(f"\n=== {what}", flush=True)


def follow(bare: Bare) -> None:
    first, several = blocks()
    say("the page: a server")
    bare.run(first.replace("NAME=games.example.org", "NAME=localhost"))
    fetch = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:9464/healthz').read().decode())"
    well = f'for n in $(seq 100); do python3 -c "{fetch}" 2>/dev/null && exit 0; sleep .3; done; exit 1'
    bare.run(well)
    play = "for n in $(seq 20); do python3 /root/play.py {} && exit 0; sleep 1; done; exit 1"
    bare.run(play.format("open"))
    say("how systemd sees it")
    bare.run(
        "systemctl is-enabled companion companion-backup.timer caddy && systemctl is-active companion caddy"
    )
    bare.run(
        "systemd-analyze security --no-pager companion | tail -1; systemd-analyze verify companion.service"
    )
    bare.run('test "$(stat -c %U:%a /var/lib/companion/companion.sqlite)" = companion:600')
    say("a backup by its unit, a restart, a worker that is killed")
    bare.run("systemctl start companion-backup && ls -l /var/backups/companion/*.sqlite")
    bare.run(f"systemctl restart companion && {well}")
    bare.run(play.format("again"))
    bare.run(f"systemctl kill --signal=KILL companion && sleep 2 && {well}")
    bare.run(play.format("again"))
    say("the page: several workers")
    bare.run(several)
    bare.run(well)
    bare.run(play.format("again"))
    bare.run(well.replace("9464", "9465"))  # the second worker
    bare.run("systemctl start companion-backup && test $(ls /var/backups/companion/*.sqlite | wc -l) = 2")
    say("the next version, and back")
    bare.run("deploy/release dist/companion-*.whl")
    bare.run(play.format("again"))
    bare.run("deploy/release back")
    bare.run(play.format("again"))
    say("as a package")
    bare.run("apt-get install --yes --no-install-recommends pipx && pipx install dist/companion-*.whl")
    serve = "/root/.local/bin/companion serve --port 8123 >/root/laptop.log 2>&1 &"
    bare.run(f"{serve} echo $! >/root/laptop.pid\n{well.replace('9464/healthz', '8123/healthz')}")
    shelf = "import urllib.request as u; assert b'Any game' in u.urlopen('http://127.0.0.1:8123/').read()"
    bare.run(f'python3 -c "{shelf}" && kill $(cat /root/laptop.pid)')
    bare.run("test -s /root/.local/share/companion/companion.sqlite")
    say("what the log says of us")
    bare.run("journalctl --no-pager --unit=companion --priority=warning --lines=20")
    say("All of the page was followed, and every tap was there.")


def main() -> None:
    if os.geteuid():
        raise SystemExit("make bare makes a root of its own, so it has to be root.")
    folder = (
        Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="companion-bare-")) / "root"
    )
    bare = Bare(folder)
    if not (folder / "etc/debian_version").exists():
        bare.make()
    bare.furnish()
    try:
        bare.boot()
        follow(bare)
    finally:
        bare.close()
        if len(sys.argv) == 1:
            shutil.rmtree(folder.parent, ignore_errors=True)


if __name__ == "__main__":
    main()
