import { type Generation, type Grant, type GrantPurpose, type Instant, parseRoleId } from '@pinfold/core';

/** Four characters that say what the bytes are, for which purpose, and in which version. */
const TAGS: Readonly<Record<GrantPurpose, string>> = { cookie: 'gco2', path: 'gpa2', hand_over: 'gho2' };

const ROLE_AT = 4;
const GENERATION_AT = 20;
const ACCOUNT_GENERATION_AT = 28;
const ISSUED_AT = 36;
const MADE_AT = 44;

/** The bytes of every grant. */
export const GRANT_BYTES = 52;

/** All of a grant in {@link GRANT_BYTES} bytes. */
export function encodeGrant(grant: Grant): Buffer {
  const bytes = Buffer.alloc(GRANT_BYTES);
  bytes.write(TAGS[grant.purpose], 0, 'latin1');
  bytes.write(grant.role.replaceAll('-', ''), ROLE_AT, 'hex');
  // Doubles hold every safe integer, which generations and instants are.
  bytes.writeDoubleBE(grant.generation, GENERATION_AT);
  bytes.writeDoubleBE(grant.accountGeneration, ACCOUNT_GENERATION_AT);
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
    accountGeneration: bytes.readDoubleBE(ACCOUNT_GENERATION_AT) as Generation,
    issuedAt: bytes.readDoubleBE(ISSUED_AT) as Instant,
    madeAt: bytes.readDoubleBE(MADE_AT) as Instant,
  };
}

function uuidOf(hex: string): string {
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return parts.join('-');
}
