#!/usr/bin/env python3
"""A runner for the part of the vectors that is about Ed25519 receipts: runner.py FOLDER

It shows how an implementation in another language uses the vectors, and shares no code with the verifier. It reads JSON strictly,
writes the canonical text, and judges signer, signature and receipt id. It judges neither provenance nor pins nor expectations, so it
answers `authentic` where nothing speaks against a signature, and an outcome only where one is decided by what it does judge. All else it
skips, and says why. Needs the package `cryptography`.
"""

import base64
import hashlib
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    HAS_CRYPTOGRAPHY = True
except ImportError:
    HAS_CRYPTOGRAPHY = False

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


class Malformed(Exception):
    """A text that a strict reader refuses."""


def read_json(data: bytes) -> Any:
    """A document as UTF-8 JSON in which no member stands twice and every text is Unicode. `NaN` and `Infinity` are read."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise Malformed("a member stands twice")
        return found

    try:
        document = json.loads(data.decode(), object_pairs_hook=members)
        json.dumps(document, ensure_ascii=False).encode()
    except (UnicodeError, json.JSONDecodeError) as error:
        raise Malformed(str(error)) from error
    return document


def canonical(value: Any) -> bytes:
    """What a signature covers: floats rounded to six places, members sorted, no white space, UTF-8."""

    def rounded(value: Any) -> Any:
        match value:
            case float():
                return round(value, 6)
            case list():
                return [rounded(item) for item in value]
            case dict():
                return {name: rounded(member) for name, member in value.items()}
        return value

    return json.dumps(rounded(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def bytes_of(value: Any, size: int) -> bytes | None:
    """So many bytes in canonical base64."""
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z0-9+/]*={0,2}", value) or len(value) % 4:
        return None
    decoded = base64.b64decode(value)
    return decoded if len(decoded) == size and base64.b64encode(decoded).decode() == value else None


def is_strong_point(encoded: bytes) -> bool:
    """Whether these bytes are the one encoding of a point of the curve whose order is not small."""
    number = int.from_bytes(encoded, "little")
    y, sign = number % 2**255, number >> 255
    if y >= P:
        return False
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    if x * x % P != square or (x == 0 and sign):
        return False
    for _ in range(3):
        product = D * x * x * y * y % P
        x, y = 2 * x * y * pow(1 + product, -1, P) % P, (y * y + x * x) * pow(1 - product, -1, P) % P
    return (x, y) != (0, 1)


def is_signed_by(key: bytes, signature: bytes, message: bytes) -> bool:
    """By the strict rules: R is as good a point as the key has to be, and S is reduced."""
    if not is_strong_point(signature[:32]) or int.from_bytes(signature[32:], "little") >= ORDER:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def judge(receipt: dict[str, Any], trusted: list[bytes]) -> str | None:
    """`invalid` or `unverifiable` where the signature does not hold or does not count; None where nothing speaks against it."""
    wrapped = receipt.get("receipt")
    others = "tdx" in receipt or "tee_attestation" in receipt or (isinstance(wrapped, dict) and "tee_attestation" in wrapped)
    version, kind = receipt.get("polaris_version"), receipt.get("attestation_type", "ed25519")
    key, signature = bytes_of(receipt.get("public_key"), 32), bytes_of(receipt.get("signature"), 64)
    attestation = receipt.get("attestation")
    if others or type(version) is not int or not isinstance(kind, str) or not isinstance(attestation, dict):
        return "invalid"
    if key is None or signature is None or not is_strong_point(key):
        return "invalid"
    text = canonical(attestation)
    if receipt.get("receipt_id") != hashlib.sha256(text).hexdigest() or not is_signed_by(key, signature, text):
        return "invalid"
    if trusted and key not in trusted:
        return "invalid"
    return "unverifiable" if not trusted or version != 1 or kind != "ed25519" else None


def answer(vector: dict[str, Any], data: bytes) -> dict[str, Any]:
    """What this program says of a receipt."""
    try:
        receipt = read_json(data)
    except Malformed:
        return {"outcome": "invalid"}
    except RecursionError:
        return {"skipped": "nested too deeply for this reader"}
    if not isinstance(receipt, dict) or "signature" not in receipt or "schema" in receipt:
        return {"skipped": "no receipt with an Ed25519 signature"}
    if not HAS_CRYPTOGRAPHY:
        return {"skipped": "the package cryptography is not installed"}
    keys = [] if vector["anchors"] == "intel" else vector["anchors"].get("signer_keys", [])
    outcome = judge(receipt, [base64.b64decode(key) for key in keys])
    if outcome == "invalid":
        return {"outcome": outcome}
    asked = [name for name in ("expect", "score", "input", "run", "fresh", "at", "now") if name in vector]
    if vector["policy"] != "policies/strict.toml" or asked:
        return {"skipped": "a signature that holds, judged by more than the policy `strict`"}
    return {"outcome": outcome} if outcome else {"authentic": True}


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    manifest = json.loads((folder / "manifest.json").read_bytes())
    if manifest["version"] != 1:
        print(f"the manifest has version {manifest['version']}; this program reads version 1", file=sys.stderr)
        return 2
    if not HAS_CRYPTOGRAPHY:
        print("the package cryptography is not installed: no signature is judged", file=sys.stderr)
        if os.environ.get("CI") == "true":
            return 3
    sys.set_int_max_str_digits(0)
    for vector in manifest["vectors"]:
        if "receipt" in vector:
            data = (folder / vector["receipt"]).read_bytes()
            if hashlib.sha256(data).hexdigest() != manifest["files"][vector["receipt"]]:
                print(f"{vector['receipt']} is not the file that the manifest names", file=sys.stderr)
                return 3
            said = answer(vector, data)
        else:
            said = {"skipped": "a bare quote"}
        print(json.dumps({"id": vector["id"], **said}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
