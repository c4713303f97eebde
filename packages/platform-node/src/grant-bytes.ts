import {
  type Generation,
  type Grant,
  type GrantPurpose,
  type Instant,
  type KnownViewer,
  parseRoleId,
} from '@pinfold/core';

/** The first four characters, which name the purpose and the version of the bytes. */
const TAGS: Readonly<Record<GrantPurpose, string>> = { cookie: 'gco2', path: 'gpa2', hand_over: 'gho2' };

const ROLE_AT = 4;
const GENERATION_AT = 20;
const ACCOUNT_GENERATION_AT = 28;
const ISSUED_AT = 36;
const MADE_AT = 44;

/** The bytes of a grant without its viewer. */
export const GRANT_BYTES = 52;

/** A viewer is padded to a multiple of this many bytes, so that the length reveals little about the id. */
export const VIEWER_BLOCK = 48;

/** The longest id, in bytes of UTF-8. */
const MAX_ID_BYTES = 255;

/** The maximum number of bytes of a viewer: a flag, the length of the id, the id, and padding. */
export const MAX_VIEWER_BYTES: number = Math.ceil((MAX_ID_BYTES + 2) / VIEWER_BLOCK) * VIEWER_BLOCK;

/** Encodes a grant in {@link GRANT_BYTES} bytes, followed by whole blocks if it names a viewer. */
export function encodeGrant(grant: Grant): Buffer {
  const bytes = Buffer.alloc(GRANT_BYTES);
  bytes.write(TAGS[grant.purpose], 0, 'latin1');
  bytes.write(grant.role.replaceAll('-', ''), ROLE_AT, 'hex');
  // A double represents every safe integer exactly, and so every generation and instant.
  bytes.writeDoubleBE(grant.generation, GENERATION_AT);
  bytes.writeDoubleBE(grant.accountGeneration, ACCOUNT_GENERATION_AT);
  bytes.writeDoubleBE(grant.issuedAt, ISSUED_AT);
  bytes.writeDoubleBE(grant.madeAt, MADE_AT);
  return grant.viewer === undefined ? bytes : Buffer.concat([bytes, encodeViewer(grant.viewer)]);
}

function encodeViewer({ id, gavePassword }: KnownViewer): Buffer {
  const text = Buffer.from(id);
  if (text.length > MAX_ID_BYTES) throw new TypeError("a viewer's id has at most 255 bytes");
  const bytes = Buffer.alloc(Math.ceil((text.length + 2) / VIEWER_BLOCK) * VIEWER_BLOCK);
  bytes[0] = Number(gavePassword);
  bytes[1] = text.length;
  text.copy(bytes, 2);
  return bytes;
}

/** Decodes the bytes of {@link encodeGrant}; `undefined` for another version. */
export function decodeGrant(bytes: Buffer): Grant | undefined {
  const tag = bytes.toString('latin1', 0, ROLE_AT);
  const purpose = (Object.keys(TAGS) as GrantPurpose[]).find((candidate) => TAGS[candidate] === tag);
  const role = parseRoleId(formatUuid(bytes.toString('hex', ROLE_AT, GENERATION_AT)));
  if (purpose === undefined || role === undefined) return undefined;
  const grant = {
    purpose,
    role,
    generation: bytes.readDoubleBE(GENERATION_AT) as Generation,
    accountGeneration: bytes.readDoubleBE(ACCOUNT_GENERATION_AT) as Generation,
    issuedAt: bytes.readDoubleBE(ISSUED_AT) as Instant,
    madeAt: bytes.readDoubleBE(MADE_AT) as Instant,
  };
  const viewer = bytes.subarray(GRANT_BYTES);
  return viewer.length === 0 ? grant : { ...grant, viewer: decodeViewer(viewer) };
}

function decodeViewer(bytes: Buffer): KnownViewer {
  return { id: bytes.toString('utf8', 2, 2 + (bytes[1] ?? 0)), gavePassword: bytes[0] === 1 };
}

function formatUuid(hex: string): string {
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return parts.join('-');
}
