"""Write the table of formats into docs/reference/formats/index.md."""

from __future__ import annotations

from pathlib import Path

from assay.readers import all_formats

PAGE = Path(__file__).resolve().parents[1] / "docs/reference/formats/index.md"
HEADER = "| `--format` | what it is | what its files do not record |\n|---|---|---|\n"


def table() -> str:
    """One row per format, in the order of the names."""
    rows = (f"| `{found.name}` | {found.title} | {found.cannot} |" for found in all_formats())
    return HEADER + "\n".join(rows).replace("  ", " ") + "\n"


def main() -> None:
    """Replace the table that is there."""
    text = PAGE.read_text(encoding="utf-8")
    begin = text.index(HEADER)
    end = text.index("\n\n", begin) + 1
    PAGE.write_text(text[:begin] + table() + text[end:], encoding="utf-8")


if __name__ == "__main__":
    main()
