"""docs/coming-from.md: every snippet of Optimist runs; those of others where their packages are installed."""

import importlib.util
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "coming-from.md"
BLOCK = re.compile(r"^```python (\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks() -> list[tuple[str, str]]:
    return BLOCK.findall(PAGE.read_text())


TASK = next(code for name, code in blocks() if name == "task")
SNIPPETS = [(name, code) for name, code in blocks() if name != "task"]


def test_the_page_shows_each_library_beside_optimist():
    names = [name for name, _ in SNIPPETS]
    assert names.count("optimist") >= 3
    assert set(names) == {"optimist", "mabwiser", "vowpalwabbit", "bayesianbandits"}
    assert "```python\n" not in PAGE.read_text(), "every snippet says whose it is"


@pytest.mark.parametrize(("name", "code"), SNIPPETS, ids=[f"{name}-{i}" for i, (name, _) in enumerate(SNIPPETS)])
def test_snippets_run(name, code, capsys):
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed")
    scope: dict[str, object] = {}
    exec(compile(TASK, f"{PAGE}:task", "exec"), scope)
    exec(compile(code, f"{PAGE}:{name}", "exec"), scope)


def test_links_lead_somewhere():
    text = PAGE.read_text()
    for target in re.findall(r"\]\(([^)#]+\.md)\)", text):
        assert (PAGE.parent / target).exists(), target
    headings = {re.sub(r"[^a-z0-9 ]", "", line.lstrip("# ").lower()).replace(" ", "-") for line in text.splitlines() if line.startswith("#")}
    for anchor in re.findall(r"\]\(#([^)]+)\)", text):
        assert anchor in headings, anchor
