import {
  type Generation,
  type Grant,
  type GrantPurpose,
  type Instant,
  type KnownViewer,
  parseRoleId,
} from '@pinfold/core';

/** Four characters that say what the bytes are, for which purpose, and in which version. */
const TAGS: Readonly<Record<GrantPurpose, string>> = { cookie: 'gco2', path: 'gpa2', hand_over: 'gho2' };

const ROLE_AT = 4;
const GENERATION_AT = 20;
const ACCOUNT_GENERATION_AT = 28;
const ISSUED_AT = 36;
const MADE_AT = 44;

/** The bytes of every grant; behind them is the viewer, where one is known. */
export const GRANT_BYTES = 52;

/** The bytes of a viewer are padded to a multiple of this, so that their number reveals little about the id. */
export const VIEWER_BLOCK = 48;

/** The longest id, in bytes of UTF-8. */
const MAX_ID_BYTES = 255;

/** The most bytes of a viewer: the flag and the length of the id are before it. */
export const MAX_VIEWER_BYTES: number = Math.ceil((MAX_ID_BYTES + 2) / VIEWER_BLOCK) * VIEWER_BLOCK;

/** All of a grant in {@link GRANT_BYTES} bytes, and in whole blocks behind them where it names a viewer. */
export function encodeGrant(grant: Grant): Buffer {
  const bytes = Buffer.alloc(GRANT_BYTES);
  bytes.write(TAGS[grant.purpose], 0, 'latin1');
  bytes.write(grant.role.replaceAll('-', ''), ROLE_AT, 'hex');
  // Doubles hold every safe integer, which generations and instants are.
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

/** The grant in bytes that {@link encodeGrant} made; `undefined` for those of another version. */
export function decodeGrant(bytes: Buffer): Grant | undefined {
  const tag = bytes.toString('latin1', 0, ROLE_AT);
  const purpose = (Object.keys(TAGS) as GrantPurpose[]).find((candidate) => TAGS[candidate] === tag);
  const role = parseRoleId(uuidOf(bytes.toString('hex', ROLE_AT, GENERATION_AT)));
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

function uuidOf(hex: string): string {
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return parts.join('-');
}
