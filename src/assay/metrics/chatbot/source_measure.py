"""What an implementation takes, counted from its source: nothing of it is run."""

from __future__ import annotations

import ast
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import InvalidRecord
from assay.score import mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.metrics.chatbot.traits import Grade, Traits

MAX_FILES = 5_000
MAX_BYTES = 2_000_000
_SKIPPED = frozenset({"__pycache__", "node_modules", "site-packages", "venv"})
_BRANCHES = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.IfExp,
    ast.comprehension,
    ast.match_case,
    ast.Assert,
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Up to this many packages to install, or branches a function on average.
_SETUP_GRADES: tuple[tuple[float, Grade], ...] = ((2, "low"), (5, "medium"), (float("inf"), "high"))
_CODE_GRADES: tuple[tuple[float, Grade], ...] = ((3, "low"), (6, "medium"), (float("inf"), "high"))


class SourceMeasure(Struct, frozen=True):
    """Counts over the Python files of a folder.

    `lines` are those with code, `imports` the different modules imported, `dependencies` the
    packages among them that are neither Python's nor the folder's own, `complexity` the mean
    number of paths through a function (None without any). Files that are no Python that can be
    read are counted in `unread` and nowhere else.
    """

    files: int
    lines: int
    functions: int
    imports: int
    complexity: float | None
    most_complex: int | None
    dependencies: tuple[str, ...]
    unread: int


class _File(Struct, frozen=True):
    lines: int
    complexities: list[int]
    imports: frozenset[str]


def measure_source(folder: str | Path) -> SourceMeasure:
    """Count files, lines, imports, branching and dependencies of a folder of Python source."""
    root = Path(folder)
    if not root.is_dir():
        raise InvalidRecord(f"{root}: expected a folder of Python source")
    paths = _python_files(root)
    read = [_measure_file(path) for path in paths]
    files = [file for file in read if file is not None]
    complexities = [n for file in files for n in file.complexities]
    imports = frozenset(name for file in files for name in file.imports)
    return SourceMeasure(
        files=len(files),
        lines=sum(file.lines for file in files),
        functions=len(complexities),
        imports=len(imports),
        complexity=mean(complexities),
        most_complex=max(complexities, default=None),
        dependencies=tuple(sorted(_foreign(imports, root, paths))),
        unread=len(read) - len(files),
    )


def _python_files(root: Path) -> list[Path]:
    found = sorted(path for path in root.rglob("*.py") if not _is_skipped(path, root))
    if len(found) > MAX_FILES:
        raise InvalidRecord(f"{root}: {len(found)} Python files; {MAX_FILES} are the most measured")
    return found


def _is_skipped(path: Path, root: Path) -> bool:
    parts = path.relative_to(root).parts
    return any(part in _SKIPPED or part.startswith(".") for part in parts)


def _measure_file(path: Path) -> _File | None:
    """None for what cannot be read as Python."""
    try:
        if path.stat().st_size > MAX_BYTES:
            return None
        with warnings.catch_warnings():
            # Somebody else's odd escapes are no business of whoever measures.
            warnings.simplefilter("ignore")
            tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    functions = [node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)]
    return _File(
        lines=len(_code_lines(tree)),
        complexities=[_complexity(function) for function in functions],
        imports=frozenset(_imported(tree)),
    )


def _code_lines(tree: ast.Module) -> set[int]:
    """The lines on which something stands besides comments and docstrings."""
    skipped = {id(node) for node in _docstrings(tree)}
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt) and id(node) not in skipped:
            end = node.lineno if isinstance(node, ast.stmt) else node.end_lineno or node.lineno
            # Between the ends of other expressions there may be empty lines; not so in a text.
            step = 1 if isinstance(node, ast.Constant) else max(1, end - node.lineno)
            lines.update(range(node.lineno, end + 1, step))
    return lines


def _docstrings(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            yield from (first, first.value)


def _complexity(function: ast.AST) -> int:
    """One path, and one more for each branch; functions inside have their own."""
    paths = 1
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        if isinstance(node, _FUNCTIONS):
            continue
        paths += isinstance(node, _BRANCHES)
        if isinstance(node, ast.BoolOp):
            paths += len(node.values) - 1
        waiting.extend(ast.iter_child_nodes(node))
    return paths


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module


def _foreign(imports: frozenset[str], root: Path, paths: list[Path]) -> set[str]:
    own = {path.stem for path in paths} | {root.name}
    own |= {part for path in paths for part in path.relative_to(root).parts[:-1]}
    packages = {name.partition(".")[0] for name in imports}
    return packages - own - sys.stdlib_module_names


def traits_of_source(measure: SourceMeasure, known: Traits) -> Traits:
    """What was measured, in place of what was asserted; the rest stays as it is known."""
    code = None if measure.complexity is None else _grade(measure.complexity, _CODE_GRADES)
    setup = _grade(len(measure.dependencies), _SETUP_GRADES)
    return replace(known, files=measure.files, setup=setup, code=code)


def _grade(count: float, grades: tuple[tuple[float, Grade], ...]) -> Grade:
    return next(grade for most, grade in grades if count <= most)
