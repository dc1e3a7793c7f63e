"""That a transparency log holds an attestation, before enough witnesses. Written from docs/transparency.md and the formats of
c2sp.org that it names; verify.py uses it."""

import base64
import hashlib
import re

def vkey(text, sound):
    """(name, id, kind, key) of a verifier key."""
    name, key_id, material = text.split("+", 2)
    material = base64.b64decode(material, validate=True)
    expected = hashlib.sha256(name.encode() + b"\n" + material).digest()[:4]
    if len(material) != 33 or expected.hex() != key_id or not sound(material[1:]):
        raise ValueError(f"{text!r} is no verifier key")
    return name, expected, material[0], material[1:]


def signs(text, lines, key, signed):
    """Whether a key signed a note; a signature that says it is its and is not spoils all."""
    name, key_id, kind, public = key
    found = False
    for line in lines:
        dash, who, encoded = line.split(" ")
        data = base64.b64decode(encoded, validate=True)
        if dash != "\u2014" or (who, data[:4]) != (name, key_id):
            continue
        if kind == 4:
            when = int.from_bytes(data[4:12], "big")
            message = f"cosignature/v1\ntime {when}\n{text}"
            found = len(data) == 76 and 0 < when < 2**63 and signed(public, message.encode(), data[12:])
        else:
            found = kind == 1 and len(data) == 68 and signed(public, text.encode(), data[4:])
        if not found:
            raise ValueError(f"a signature of {name} is not its")
    return found


def check_log(leaf, proof, options, signed):
    """That a believed log holds it, before enough witnesses."""
    head, note = proof.decode("utf-8").split("\n\n", 1)
    body, signatures = note.rsplit("\n\n", 1)
    magic, index, *hashes = [line for line in head.split("\n") if not line.startswith("extra ")]
    origin, size, root = body.split("\n")[:3]
    text, lines = body + "\n", signatures.rstrip("\n").split("\n")
    if magic != "c2sp.org/tlog-proof@v1" or not re.fullmatch("index (0|[1-9][0-9]*)", index):
        raise ValueError("no proof")
    if not any([signs(text, lines, key, signed) for key in options.log_key if key[0] == origin and key[2] == 1]):
        raise ValueError("no believed log signed it")
    seen = {key[3] for key in options.witness if key[2] == 4 and signs(text, lines, key, signed)}
    if len(seen) < options.quorum:
        raise ValueError(f"{len(seen)} witnesses saw it, {options.quorum} are demanded")
    at, last = int(index[6:]), int(size) - 1
    value = hashlib.sha256(b"\0" + leaf.encode()).digest()
    if not 0 <= at <= last or len(hashes) > 63:
        raise ValueError("no such leaf")
    for sibling in (base64.b64decode(line, validate=True) for line in hashes):
        if last == 0:
            raise ValueError("the proof is too long")
        left = at & 1 or at == last
        value = hashlib.sha256(b"\1" + (sibling + value if left else value + sibling)).digest()
        while left and not at & 1 and at:
            at, last = at >> 1, last >> 1
        at, last = at >> 1, last >> 1
    if last or value != base64.b64decode(root, validate=True):
        raise ValueError("the log holds something else there")
