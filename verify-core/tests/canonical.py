"""Reads one JSON document a line; writes the SHA-256 of the text that producers sign for each."""

import hashlib
import json
import sys


def rounded(value):
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, list):
        return [rounded(item) for item in value]
    if isinstance(value, dict):
        return {name: rounded(member) for name, member in value.items()}
    return value


for line in sys.stdin.buffer:
    text = json.dumps(rounded(json.loads(line)), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    print(hashlib.sha256(text.encode()).hexdigest())
