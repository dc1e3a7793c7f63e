#!/usr/bin/env python3
"""Verifies recourse attestations. Written from docs/attestation.md and docs/transparency.md alone; § names their sections.

    pip install cryptography
    python verify.py report.json --trust https://recourse.example --max-age 900

Prints one JSON object for each file and ends with 0 when all are valid, 1 when one is not, 3 when its registry could not be had.
It keeps no cache of registries (§4.4) and spends no nonce (§6.3): do both before you act on what is valid.
"""

import argparse
import base64
import datetime
import hashlib
import ipaddress
import json
import re
import sys
import unicodedata
import urllib.request

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from verify_log import check_log, vkey

REQUIRED = {"input", "output", "evaluator", "timestamp", "key_id", "attestation_uri", "signature"}
OPTIONAL = {"version", "nonce", "expires_at", "chain_id", "parent_attestation"}
# Unsigned and reserved: ignored by everything but the shape (§1.7).
EXTRAS = {"countersignatures": list, "keyAttestation": dict}
PRINTABLE = re.compile(r"[!-~]+")
LIMIT, LEVELS, SKEW = 32 << 20, 127, 300_000
ORDER = 2**252 + 27742317777372353535851937790883648493
PRIME = 2**255 - 19
# y coordinates of the points of small order
SMALL = {0, 1, PRIME - 1} | {int.from_bytes(bytes.fromhex(y), "little") for y in (
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")}


class Refused(Exception):
    """A reason of §6.2, and what exactly."""

    def __init__(self, reason, detail):
        super().__init__(detail)
        self.reason = reason
        self.answered = False


# --- §2: strict JSON in, canonical bytes out ---------------------------------------------------------------------------------

def members(pairs):
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a name twice in one object")
    return dict(pairs)


def double(text):
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError("a number beyond the range of a double")
    return number


def nothing(text):
    raise ValueError(f"{text} is no JSON")


def parse(data):
    if len(data) > LIMIT:
        raise ValueError("too large")
    value = json.loads(data.decode("utf-8"), object_pairs_hook=members, parse_int=double, parse_float=double,
                       parse_constant=nothing)
    check(value, 0)
    return value


def check(value, level):
    """Depth and lone surrogates."""
    if isinstance(value, str):
        value.encode("utf-8")
    elif isinstance(value, (dict, list)):
        if level == LEVELS:
            raise ValueError("too deep")
        for one in value:
            check(one, level + 1)
        for one in value.values() if isinstance(value, dict) else ():
            check(one, level + 1)


def number(value):
    """A double as ECMAScript writes it."""
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, rest = mantissa.partition(".")
    digits = (whole + rest).lstrip("0")
    point = int(exponent or 0) + len(digits) - len(rest)
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{sign}{mantissa}e{point - 1:+d}"


def canonical(value):
    """RFC 8785."""
    def write(one):
        if one is None or isinstance(one, bool):
            return json.dumps(one)
        if isinstance(one, float):
            return number(one)
        if isinstance(one, str):
            return json.dumps(one, ensure_ascii=False)
        if isinstance(one, list):
            return "[" + ",".join(map(write, one)) + "]"
        names = sorted(one, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(write(name) + ":" + write(one[name]) for name in names) + "}"
    return write(value).encode("utf-8")


def is_nfc(value):
    if isinstance(value, str):
        return unicodedata.is_normalized("NFC", value)
    if isinstance(value, dict):
        return all(is_nfc(name) and is_nfc(one) for name, one in value.items())
    return not isinstance(value, list) or all(map(is_nfc, value))


# --- §1: the document --------------------------------------------------------------------------------------------------------

def time(text):
    """Milliseconds since 1970 (§1.5)."""
    form = r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))"
    found = re.fullmatch(form, text, re.ASCII)
    if not found:
        raise ValueError(f"{text!r} is no time")
    year, month, day, hour, minute, second = map(int, found.groups()[:6])
    part, sign, hours, minutes = found.groups()[6:]
    moment = datetime.datetime(year, month, day, hour, minute, second) - datetime.datetime(1970, 1, 1)
    offset = int(hours or 0) * 60 + int(minutes or 0)
    if int(hours or 0) > 23 or int(minutes or 0) > 59:
        raise ValueError(f"{text!r} is no time")
    millis = (moment.days * 86400 + moment.seconds) * 1000 + int(((part or "") + "000")[:3])
    return millis + (offset * 60000 if sign == "-" else -offset * 60000)


def split(url):
    """An origin in its one spelling, and what follows (§1.6)."""
    found = re.fullmatch(r"(https?)://([^/?#@\\]*)([/?#][^\\]*)?", url, re.ASCII | re.IGNORECASE)
    if not found or not all("!" <= c <= "~" for c in url):
        raise ValueError(f"{url!r} is no URL of an instance")
    scheme, authority, rest = found[1].lower(), found[2], found[3] or ""
    parts = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]{1,253}))(?::(\d{1,5}))?", authority, re.ASCII)
    if not parts or (parts[3] is not None and not 0 < int(parts[3]) < 65536):
        raise ValueError(f"{url!r} has no host or no port")
    host = f"[{ipaddress.IPv6Address(parts[1])}]" if parts[1] else parts[2].lower()
    port = int(parts[3]) if parts[3] else None
    usual = {"https": 443, "http": 80}[scheme]
    return f"{scheme}://{host}" + (f":{port}" if port not in (None, usual) else ""), rest


def shape(value):
    """§6.1.2, or what is wrong; without the extras."""
    if not isinstance(value, dict) or not all(isinstance(value.get(name, kind()), kind) for name, kind in EXTRAS.items()):
        raise ValueError("no object, or an extra of another kind")
    if not is_nfc(value):
        raise ValueError("a string is not in NFC")
    value = without(value, *EXTRAS)
    if not REQUIRED <= set(value) <= REQUIRED | OPTIONAL:
        raise ValueError("a field is missing or unknown")
    for name in set(value) - {"input", "output"}:
        if not isinstance(value[name], str):
            raise ValueError(f"{name} is not text")
    if not isinstance(value["input"], dict) or not isinstance(value["output"], dict):
        raise ValueError("input or output is no object")
    split(value["attestation_uri"])
    time(value["timestamp"])
    time(value.get("expires_at", value["timestamp"]))
    forms = {"key_id": PRINTABLE, "version": r"recourse\.attestation\.v1", "nonce": "[0-9a-f]{32}",
             "chain_id": "[!-~]{1,200}", "parent_attestation": "sha256:[0-9a-f]{64}"}
    for name, form in forms.items():
        if name in value and not re.fullmatch(form, value[name]):
            raise ValueError(f"{name} is malformed")
    return value


def read(data):
    """An attestation, or a report with one beside it: (attestation, report or None)."""
    try:
        value, report = parse(data), None
    except (ValueError, RecursionError) as error:
        raise Refused("invalid_attestation", str(error)) from None
    if isinstance(value, dict) and "signature" not in value and {"schemaVersion", "attestation"} & set(value):
        if "attestation" not in value:
            raise Refused("attestation_absent", "the report has none beside it")
        report = {name: one for name, one in value.items() if name != "attestation"}
        value = value["attestation"]
    try:
        value = shape(value)
    except ValueError as error:
        raise Refused("invalid_attestation", str(error)) from None
    return value, report


def without(value, *names):
    return {name: one for name, one in value.items() if name not in names}


def digest(value):
    return hashlib.sha256(canonical(value)).hexdigest()


def attestation_id(value):
    five = {name: value[name] for name in ("input", "output", "evaluator", "timestamp", "key_id")}
    return hashlib.sha256(canonical(five)).digest()[:16].hex()


# --- §4.2, §6.1: keys and signatures -----------------------------------------------------------------------------------------

def unbase64url(text, length):
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text, re.ASCII):
        raise ValueError("no base64url")
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if len(data) != length or base64.urlsafe_b64encode(data).rstrip(b"=").decode() != text:
        raise ValueError("another length or another spelling")
    return data


def sound(point):
    """A point in its one encoding, not of small order."""
    y = int.from_bytes(point, "little") & (2**255 - 1)
    return y < PRIME and y not in SMALL


def signed(key, message, signature):
    if not sound(key) or not sound(signature[:32]) or int.from_bytes(signature[32:], "little") >= ORDER:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
        return True
    except (InvalidSignature, ValueError):
        return False


def lookup(registry, key_id):
    """The one entry that counts (§4.2)."""
    named = [key for key in registry["keys"] if isinstance(key, dict) and key.get("key_id") == key_id]
    for state, reason in (("compromised", "key_compromised"), ("pending", "key_pending")):
        if any(key.get("state") == state for key in named):
            raise Refused(reason, f"key {key_id} is {state}")
    usable = [key for key in named if key.get("state") in ("active", "deprecated", "retired")
              and key.get("algorithm") == "Ed25519" and isinstance(key.get("public_key"), str)]
    if len(named) != 1 or len(usable) != 1:
        raise Refused("key_not_found", f"the registry has no single, usable key {key_id}")
    one, states = usable[0], ("pending", "active", "deprecated", "retired", "compromised")
    further = [key["state"] for key in registry["keys"] if isinstance(key, dict) and key.get("key_id") != key_id
               and key.get("algorithm") == "Ed25519" and key.get("public_key") == one["public_key"]
               and key.get("state") in states[max(2, states.index(one["state"]) + 1):]]
    if further:
        reason = "key_compromised" if "compromised" in further else "key_not_found"
        raise Refused(reason, f"the key {key_id} stands under another name, too, and has gone further")
    return one


def verify_past(one, options, report=None):
    """Everything but the time (§6.1, 3 to 9)."""
    origin, rest = split(one["attestation_uri"])
    if options.trust and origin not in options.trust:
        raise Refused("instance_not_trusted", origin)
    key = lookup(options.registry_of(origin), one["key_id"])
    try:
        right = signed(unbase64url(key["public_key"], 32), canonical(without(one, "signature")), unbase64url(one["signature"], 64))
    except ValueError:
        right = False
    if not right:
        raise Refused("signature_invalid", f"it is not key {one['key_id']}'s over this content")
    if rest != f"/.well-known/attestations/{attestation_id(one)}.json":
        raise Refused("cross_check_mismatch", "attestation_uri is not where this content belongs")
    if report is not None and canonical(report) != canonical(one["output"]):
        raise Refused("cross_check_mismatch", "the report is not the attested output")


def check_time(one, options):
    now, made = options.now, time(one["timestamp"])
    ends = time(one["expires_at"]) if "expires_at" in one else max(now, made)
    if made - now > SKEW or ends < made or now > ends:
        raise Refused("attestation_expired", "it is ahead of the clock, or expired")
    if options.max_age is not None and now - made > options.max_age * 1000:
        raise Refused("attestation_expired", "it is older than allowed")


def is_approval(one):
    return one["output"].get("schemaVersion") == "recourse.approval.v1"


def check_chain(chain):
    """§5."""
    def need(holds, what):
        if not holds:
            raise Refused("chain_invalid", what)
    need("parent_attestation" not in chain[0], "the first names a parent")
    need(not is_approval(chain[0]), "an approval does not name what it approves")
    for parent, child in zip(chain, chain[1:]):
        need(child.get("parent_attestation") == "sha256:" + digest(parent), "it names another parent")
        need("chain_id" in child, "it names no chain")
        need(parent.get("chain_id", child["chain_id"]) == child["chain_id"], "another chain")
        need("chain_id" in parent or parent is chain[0], "the parent names no chain")
        need(time(child["timestamp"]) >= time(parent["timestamp"]), "it is older than its parent")
        need("expires_at" not in parent or time(child["timestamp"]) <= time(parent["expires_at"]), "the parent had expired")
        if is_approval(child):
            output, who = child["output"], child["output"].get("approver")
            need(not is_approval(parent), "an approval cannot be approved")
            need(output.get("decision") == "approved", "it does not approve")
            need(canonical(child["input"]) == canonical(parent["input"]), "another input")
            verdict = output.get("riskAssessment")
            need(isinstance(verdict, str) and verdict == parent["output"].get("riskAssessment"), "another verdict")
            need(isinstance(who, dict) and isinstance(who.get("user"), str) and who["user"] != "", "nobody approved")


# --- the command -------------------------------------------------------------------------------------------------------------

class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def fetch(url, limit):
    """§7.2, but for addresses: give --trust, so that only instances that you named are asked."""
    origin, _ = split(url)
    if not re.match(r"https://|http://(localhost|127\.0\.0\.1|\[::1\])(:|/|$)", url):
        raise Refused("network_error", f"{origin} is asked over https only")
    try:
        with urllib.request.build_opener(NoRedirects, urllib.request.ProxyHandler({})).open(url, timeout=5) as answer:
            data = answer.read(limit + 1)
    except OSError as error:
        refused = Refused("network_error", f"{url}: {error}")
        # A server that says that there is none has answered.
        refused.answered = 300 <= getattr(error, "code", 500) < 500 and error.code != 429
        raise refused from None
    if len(data) > limit:
        raise Refused("network_error", f"{url}: too large")
    return data


def registry_from(data):
    try:
        registry = parse(data)
        if not isinstance(registry, dict) or not isinstance(registry.get("keys"), list):
            raise ValueError("no registry")
        return registry
    except ValueError as error:
        raise Refused("network_error", str(error)) from None


def logged(leaf, url, options):
    """That a log holds it: with a proof that was given, or with the one beside it."""
    proofs, why = [open(proof, "rb").read() for proof in options.proof], "no proof was given"
    if not proofs and not options.registry:
        try:
            proofs = [fetch(re.sub(r"\.json$", ".proof", url), 72 << 10)]
        except Refused as refused:
            if refused.answered:
                raise Refused("not_logged", str(refused)) from None
            raise
    for proof in proofs:
        try:
            return check_log(leaf, proof, options, signed)
        except (ValueError, IndexError) as error:
            why = str(error)
    raise Refused("not_logged", why)


def verify(path, options):
    with open(path, "rb") as file:
        one, report = read(file.read())
    parents = [read(open(parent, "rb").read())[0] for parent in options.parent]
    for parent in parents:
        verify_past(parent, options)
    verify_past(one, options, report)
    if options.input is not None and canonical(one["input"]) != canonical(options.input):
        raise Refused("cross_check_mismatch", "another input was attested")
    if options.log_key:
        for link in parents + [one]:
            origin, _ = split(link["attestation_uri"])
            logged("attestation sha256:" + digest(link), link["attestation_uri"], options)
            logged("registry sha256:" + digest(options.registry_of(origin)), f"{origin}/.well-known/recourse-keys.json", options)
    if parents:
        check_chain(parents + [one])
    check_time(one, options)
    if is_approval(one) and "parent_attestation" not in one:
        raise Refused("chain_invalid", "an approval does not name what it approves")
    return one


def key(text):
    return vkey(text, sound)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--trust", action="append", default=[], type=lambda url: split(url)[0], help="base URL of an instance")
    parser.add_argument("--registry", help="its registry as a file; nothing is fetched for keys")
    parser.add_argument("--max-age", type=float, help="seconds")
    parser.add_argument("--now", type=time, help="the time that it is")
    parser.add_argument("--input", type=lambda text: parse(text.encode()), help="what was to be evaluated, as JSON")
    parser.add_argument("--parent", action="append", default=[], metavar="FILE", help="what it follows, the first one first")
    parser.add_argument("--log-key", action="append", default=[], type=key, help="demand a transparency log with this key")
    parser.add_argument("--witness", action="append", default=[], type=key)
    parser.add_argument("--quorum", type=int, default=0)
    parser.add_argument("--proof", action="append", default=[], metavar="FILE", help="of the attestation, of the registry")
    options = parser.parse_args()
    options.now = options.now if options.now is not None else int(datetime.datetime.now().timestamp() * 1000)
    worst = 0
    for path in options.files:
        try:
            if options.registry:
                own = registry_from(open(options.registry, "rb").read())
                options.registry_of = lambda _: own
            else:
                options.registry_of = lambda origin: registry_from(fetch(f"{origin}/.well-known/recourse-keys.json", 1 << 20))
            found = verify(path, options)
            said = {"valid": True, "reason": None, "riskAssessment": found["output"].get("riskAssessment")}
        except Refused as refused:
            said = {"valid": False, "reason": refused.reason, "detail": str(refused)}
            worst = max(worst, 3 if refused.reason == "network_error" else 1)
        print(json.dumps(said))
    return worst


if __name__ == "__main__":
    sys.exit(main())
