"""Verifies a bundle's envelope with securesystemslib: BUNDLE, public key in PEM. Prints the payload."""

import json
import sys

from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

bundle = json.load(open(sys.argv[1]))
hint = bundle["verificationMaterial"]["publicKey"]["hint"]
key = SSlibKey(hint, "ed25519", "ed25519", {"public": open(sys.argv[2], "rb").read().hex()})
envelope = Envelope.from_dict(bundle["dsseEnvelope"])
envelope.verify([key], 1)
sys.stdout.buffer.write(envelope.payload)
