import { type Generation, type Grant, type GrantPurpose, type Instant, parseRoleId } from '@pinfold/core';

/** Three characters that say what the bytes are, for which purpose, and in which version. */
const TAGS: Readonly<Record<GrantPurpose, string>> = { cookie: 'gc1', path: 'gp1', hand_over: 'gh1' };

const ROLE_AT = 3;
const GENERATION_AT = 19;
const ISSUED_AT = 27;
const MADE_AT = 35;

/** The bytes of every grant. */
export const GRANT_BYTES = 43;

/** All of a grant in {@link GRANT_BYTES} bytes. */
export function encodeGrant(grant: Grant): Buffer {
  const bytes = Buffer.alloc(GRANT_BYTES);
  bytes.write(TAGS[grant.purpose], 0, 'latin1');
  bytes.write(grant.role.replaceAll('-', ''), ROLE_AT, 'hex');
  // Doubles hold every safe integer, which generations and instants are.
  bytes.writeDoubleBE(grant.generation, GENERATION_AT);
  bytes.writeDoubleBE(grant.issuedAt, ISSUED_AT);
  bytes.writeDoubleBE(grant.madeAt, MADE_AT);
  return bytes;
}

/** The grant in bytes that {@link encodeGrant} made; `undefined` for those of another version. */
export function decodeGrant(bytes: Buffer): Grant | undefined {
  const tag = bytes.toString('latin1', 0, ROLE_AT);
  const purpose = (Object.keys(TAGS) as GrantPurpose[]).find((candidate) => TAGS[candidate] === tag);
  const role = parseRoleId(uuidOf(bytes.toString('hex', ROLE_AT, GENERATION_AT)));
  if (purpose === undefined || role === undefined) return undefined;
  return {
    purpose,
    role,
    generation: bytes.readDoubleBE(GENERATION_AT) as Generation,
    issuedAt: bytes.readDoubleBE(ISSUED_AT) as Instant,
    madeAt: bytes.readDoubleBE(MADE_AT) as Instant,
  };
}

function uuidOf(hex: string): string {
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return parts.join('-');
}
