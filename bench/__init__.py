"""`make bench`. The tests lend it their evenings and their throw-away databases."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))
