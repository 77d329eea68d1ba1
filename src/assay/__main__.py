"""Where `assay` and `python -m assay` begin."""

from __future__ import annotations

from assay.own_process import collect_seldom, hear_every_ctrl_c, nothing_to_lose


def main() -> None:
    """Load the command line and run it."""
    hear_every_ctrl_c()
    collect_seldom()
    with nothing_to_lose():
        from assay.cli import main as run  # noqa: PLC0415 - loading it is what takes time
    run()


if __name__ == "__main__":
    main()
