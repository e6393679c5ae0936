from __future__ import annotations

from pathlib import Path

import pytest
from broken import Copy


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path / "copy")
