"""The code in the documentation runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "python" / "examples").glob("*.py"))


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


def test_the_code_of_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = blocks(ROOT / "docs" / "python.md")
    assert len(code) >= 3
    assert len(code[0].strip().splitlines()) == 8, "eight lines first"
    names: dict[str, object] = {}
    for number, block in enumerate(code):
        exec(compile(block, f"docs/python.md, block {number}", "exec"), names)


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run_without_a_word_of_warning(script, tmp_path):
    done = subprocess.run([sys.executable, "-W", "error", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout and not done.stderr
    assert len(EXAMPLES) == 3
