"""What Spark and Java say, in our words."""

from __future__ import annotations

import re

_LONGEST = 300
_JAVA_NOISE = re.compile(
    r"^(WARNING|An error occurred while calling|Using |Setting |To adjust |\d\d/\d\d/\d\d .* WARN )"
)
# What is found in their words, and what it comes down to; the first that fits counts.
_NO_MASTER = (
    "there is no such master: name local[N] for N cores of this machine, local[*] for all, "
    "or spark://HOST:PORT, k8s://URL or yarn"
)
_SILENT_MASTER = "the master does not answer: is that its address, and is it running?"
START_PROBLEMS = (
    ("UnsupportedClassVersionError", "it needs Java 17 or later, and this one is older"),
    ("JAVA_HOME is not set", "it needs Java 17 or later, and there is none"),
    ("Could not parse Master URL", _NO_MASTER),
    ("Asked to run locally with", _NO_MASTER),
    ("Master must either be", _NO_MASTER),
    ("Invalid master URL", _NO_MASTER),
    ("All masters are unresponsive", _SILENT_MASTER),
    ("UnknownHostException", _SILENT_MASTER),
    ("Failed to connect to master", _SILENT_MASTER),
    ("stopped SparkContext", _SILENT_MASTER),
    ("HADOOP_CONF_DIR or YARN_CONF_DIR", "for yarn set HADOOP_CONF_DIR or YARN_CONF_DIR"),
    ("Could not reserve enough space", "there is too little memory for Java"),
    ("insufficient memory", "there is too little memory for Java"),
)
_DAMAGED = re.compile(
    r"FAILED_READ_FILE|is not a Parquet file|CANNOT_READ_FILE_FOOTER|PATH_NOT_FOUND"
)
_FILE = re.compile(r"file:/*(/[^\n]*?\.parquet)")


def start_problem(master: str, said: str) -> str:
    """Why a session cannot be had."""
    found = (meaning for words, meaning in START_PROBLEMS if words in said)
    why = next(found, None) or telling_line(said)
    return f"Spark could not be started with the master {master!r}: {why}"


def damaged_file(said: str) -> str | None:
    """The file that Spark could not read, if that is what it says."""
    if _DAMAGED.search(said) is None:
        return None
    found = _FILE.search(said)
    return found[1] if found else "a file of the store"


def telling_line(said: str) -> str:
    """The line that tells the most: the last of a traceback, else the first."""
    lines = [line.strip(": \t") for line in said.splitlines() if line.strip()]
    lines = [line for line in lines if not _JAVA_NOISE.match(line)] or ["it did not say why"]
    raised = [line for line in lines if re.match(r"[\w.]+(Error|Exception|Interrupt)\b: ", line)]
    python = raised[-1] if "Traceback" in said and raised else lines[0]
    return python[:_LONGEST]
