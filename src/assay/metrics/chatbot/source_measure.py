"""What an implementation takes, counted from its source: nothing of it is run."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import InvalidRecord
from assay.metrics.chatbot.install_size import Installed, installed_for
from assay.score import mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
_IMPORTERS = frozenset({"import_module", "__import__", "require", "importorskip"})
_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Up to this many packages to install, or branches a function on average.
_SETUP_GRADES: tuple[tuple[float, Grade], ...] = ((2, "low"), (5, "medium"), (float("inf"), "high"))
_CODE_GRADES: tuple[tuple[float, Grade], ...] = ((3, "low"), (6, "medium"), (float("inf"), "high"))


class SourceMeasure(Struct, frozen=True):
    """Counts over the Python files of a folder.

    `lines` are those with code, `imports` the different modules imported, also those asked for by
    name as with `import_module("x")`; `dependencies` the packages among them that are neither
    Python's nor the source's own, `complexity` the mean number of paths through a function (None
    without any). Files that are no Python that can be read are counted in `unread` and nowhere
    else. `installed` is what the dependencies take on this machine; None where one is missing.
    """

    files: int
    lines: int
    functions: int
    imports: int
    complexity: float | None
    most_complex: int | None
    dependencies: tuple[str, ...]
    unread: int
    installed: Installed | None = None


class _File(Struct, frozen=True):
    lines: int
    complexities: list[int]
    imports: frozenset[str]


def measure_source(folder: str | Path, requirements: Sequence[str] = ()) -> SourceMeasure:
    """Count files, lines, imports, branching and dependencies of a folder of Python source.

    `requirements` are packages that it needs without importing them, written as for pip.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InvalidRecord(f"{root}: expected a folder of Python source")
    paths = _python_files(root)
    read = [_measure_file(path) for path in paths]
    files = [file for file in read if file is not None]
    complexities = [n for file in files for n in file.complexities]
    imports = frozenset(name for file in files for name in file.imports)
    foreign = _foreign(imports, root, paths)
    return SourceMeasure(
        files=len(files),
        lines=sum(file.lines for file in files),
        functions=len(complexities),
        imports=len(imports),
        complexity=mean(complexities),
        most_complex=max(complexities, default=None),
        dependencies=tuple(sorted({name.partition(".")[0] for name in foreign})),
        unread=len(read) - len(files),
        installed=installed_for(sorted(foreign), requirements),
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
        elif isinstance(node, ast.Call) and (name := _asked_for(node)):
            yield name


def _asked_for(call: ast.Call) -> str | None:
    """The module that a call imports by its name, where the name stands there."""
    called = getattr(call.func, "id", None) or getattr(call.func, "attr", None)
    first = call.args[0] if call.args else None
    name = first.value if isinstance(first, ast.Constant) else None
    is_name = isinstance(name, str) and _MODULE.fullmatch(name) is not None
    return str(name) if called in _IMPORTERS and is_name else None


def _foreign(imports: frozenset[str], root: Path, paths: list[Path]) -> set[str]:
    """The imported modules that are neither Python's nor the source's own."""
    own = {path.stem for path in paths} | {root.name, _package_of(root)}
    own |= {part for path in paths for part in path.relative_to(root).parts[:-1]}
    known = own | sys.stdlib_module_names
    return {name for name in imports if name.partition(".")[0] not in known}


def _package_of(root: Path) -> str:
    """The package that the folder is a part of, its own name if of none."""
    place = root.resolve()
    while (place.parent / "__init__.py").is_file():
        place = place.parent
    return place.name


def traits_of_source(measure: SourceMeasure, known: Traits) -> Traits:
    """What was measured, in place of what was asserted; the rest stays as it is known."""
    code = None if measure.complexity is None else _grade(measure.complexity, _CODE_GRADES)
    setup = _grade(len(measure.dependencies), _SETUP_GRADES)
    return replace(known, files=measure.files, setup=setup, code=code, measure=measure)


def _grade(count: float, grades: tuple[tuple[float, Grade], ...]) -> Grade:
    return next(grade for most, grade in grades if count <= most)
