"""`companion`, by a clock that a test may put forward: the seconds to add stand in a file."""

import os
import runpy
import time
from pathlib import Path

real, forward = time.time_ns, Path(os.environ["SET_FORWARD"])
time.time_ns = lambda: real() + int(forward.read_text("ascii")) * 1_000_000_000
runpy.run_module("companion", run_name="__main__", alter_sys=True)
