// Verifies a Sigstore bundle with the official client: BUNDLE, public key in PEM. Prints the payload.
import { createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(process.env.RECOURSE_NODE_MODULES + "/");
const { bundleFromJSON } = require("@sigstore/bundle");
const { toSignedEntity, toTrustMaterial, Verifier } = require("@sigstore/verify");

const [bundleFile, pemFile] = process.argv.slice(2);
const bundle = bundleFromJSON(JSON.parse(readFileSync(bundleFile, "utf8")));
const key = createPublicKey(readFileSync(pemFile, "utf8"));
const nothing = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] };
const trust = toTrustMaterial(nothing, () => ({ publicKey: key, validFor: () => true }));
new Verifier(trust, { ctlogThreshold: 0, tlogThreshold: 0, tsaThreshold: 0, timestampThreshold: 0 }).verify(toSignedEntity(bundle));
process.stdout.write(bundle.content.dsseEnvelope.payload);
