#!/usr/bin/env python3
"""Compares the answers of a runner with the manifest: RUNNER FOLDER | compare.py FOLDER

Exits with 0 if every answer agrees, 1 if one differs, is missing or cannot be read, 2 on bad usage.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

AUTHENTIC = ("verified", "under-provenanced")
MEMBERS = {"id", "log", "outcome", "authentic", "codes", "receipts", "fresh", "skipped"}


def compare(vector: dict[str, Any], answer: dict[str, Any]) -> list[str]:
    """What an answer says otherwise than the manifest; an answer that says nothing is a difference too."""
    unknown = answer.keys() - MEMBERS
    if unknown:
        return [f"unknown members: {', '.join(sorted(unknown))}"]
    if "outcome" not in answer and "authentic" not in answer:
        return ["neither an outcome, nor authentic, nor skipped"]
    differences = []
    wanted = vector["outcome"]
    if "outcome" in answer and answer["outcome"] != wanted:
        alarm = "WRONGLY VERIFIED: " if answer["outcome"] == "verified" else ""
        differences.append(f"{alarm}outcome {answer['outcome']}, wanted {wanted}")
    if "authentic" in answer and answer["authentic"] is not (wanted in AUTHENTIC):
        alarm = "WRONGLY AUTHENTIC: " if answer["authentic"] else ""
        differences.append(f"{alarm}authentic {answer['authentic']}, wanted {wanted}")
    for member in ("codes", "receipts"):
        if member in answer and answer[member] != vector.get(member):
            differences.append(f"{member} {answer[member]}, wanted {vector.get(member)}")
    for member, value in answer.get("fresh", {}).items():
        if value != vector.get("fresh", {}).get(member):
            differences.append(f"fresh {member} {value}, wanted {vector.get('fresh', {}).get(member)}")
    return differences


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    manifest = json.loads((Path(sys.argv[1]) / "manifest.json").read_bytes())
    if manifest["version"] != 1:
        print(f"the manifest has version {manifest['version']}; this program reads version 1", file=sys.stderr)
        return 2
    entries = {vector["id"]: vector for vector in manifest["vectors"]}
    logs = {f"log {log['id']}": log for log in manifest["logs"]}
    counts: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    seen = set()

    def fail(kind: str, message: str) -> None:
        counts[kind] += 1
        print(f"{kind}: {message}")

    for line in sys.stdin:
        try:
            answer = json.loads(line)
            name = f"log {answer['log']}" if "log" in answer else answer["id"]
            entry = logs[name] if "log" in answer else entries[name]
        except (ValueError, TypeError, KeyError):
            fail("unreadable", line.strip())
            continue
        if name in seen:
            fail("repeated", name)
        elif "skipped" in answer:
            counts["skipped"] += 1
            skipped[str(answer["skipped"])] += 1
        elif differences := compare(entry, answer):
            fail("differs", f"{name}: {'; '.join(differences)}")
        else:
            counts["agrees" if "outcome" in answer else "agrees in part"] += 1
        seen.add(name)
    # Who audits no logs need not say so for each of them.
    if seen & logs.keys():
        entries |= logs
    for name in entries.keys() - seen:
        fail("missing", name)
    for reason, count in skipped.most_common():
        print(f"skipped {count}: {reason}")
    print(", ".join(f"{kind} {count}" for kind, count in sorted(counts.items())) + f" of {len(entries)}")
    agreed = counts["agrees"] + counts["agrees in part"]
    return 0 if agreed and agreed + counts["skipped"] == counts.total() else 1


if __name__ == "__main__":
    sys.exit(main())
