import {
  createCipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import {
  type Generation,
  type Grant,
  type GrantPurpose,
  type GrantSigner,
  type Instant,
  type KnownViewer,
  parseRoleId,
} from '@pinfold/core';

/** Options of {@link HmacGrantSigner}. */
export interface HmacGrantSignerOptions {
  /**
   * The secret that signs, then earlier ones whose tokens still verify. Each has at least 16 bytes, better 32 random
   * ones. Keys are derived from them, so the same secret may serve other purposes, too.
   */
  readonly secrets: readonly [current: string | Uint8Array, ...earlier: readonly (string | Uint8Array)[]];
}

const SIGNING_PURPOSE = 'pinfold viewing grant, version 1';
const ENCRYPTION_PURPOSE = 'pinfold viewer of a grant, version 1';
const MIN_SECRET_LENGTH = 16;
const MAC_BYTES = 32;
const NONCE_BYTES = 16;
const MAX_VERIFIED = 8_192;

/** The first four characters, which name the purpose and the version of the bytes. */
const TAGS: Readonly<Record<GrantPurpose, string>> = { cookie: 'gco2', path: 'gpa2', hand_over: 'gho2' };

const ROLE_AT = 4;
const GENERATION_AT = 20;
const ACCOUNT_GENERATION_AT = 28;
const ISSUED_AT = 36;
const MADE_AT = 44;

/** The bytes of a grant without its viewer. */
const GRANT_BYTES = 52;

/** A viewer is padded to a multiple of this many bytes, so that the length reveals little about the id. */
const VIEWER_BLOCK = 48;

/** The longest id, in bytes of UTF-8. */
const MAX_ID_BYTES = 255;

/** The maximum number of bytes of a viewer: a flag, the length of the id, the id, and padding. */
const MAX_VIEWER_BYTES = Math.ceil((MAX_ID_BYTES + 2) / VIEWER_BLOCK) * VIEWER_BLOCK;

/**
 * The length of a token in bytes is a multiple of three, so base64url has no unused bits, and each token exactly one
 * text.
 */
const CHARACTERS = '[A-Za-z0-9_-]';
const TOKEN = new RegExp(
  `^${CHARACTERS}{${encodedLength(GRANT_BYTES + MAC_BYTES)}}(?:${CHARACTERS}{${encodedLength(VIEWER_BLOCK)}}){0,${MAX_VIEWER_BYTES / VIEWER_BLOCK}}$`,
);

/** The keys that are derived from one secret. */
interface Keys {
  readonly signing: KeyObject;
  readonly encryption: KeyObject;
}

/**
 * Signs grants with HMAC-SHA-256 (RFC 2104) under keys derived by HKDF (RFC 5869).
 *
 * A token has 112 characters, and 64 to 384 more if it names a viewer. The viewer's id is encrypted, with a nonce made
 * from the signature (as in RFC 5297), because sites see tokens in path mode. No two texts represent the same token.
 *
 * @example
 * import { HmacGrantSigner } from '@pinfold/platform-node';
 *
 * const signer = new HmacGrantSigner({ secrets: ['0123456789abcdef0123456789abcdef'] });
 * signer.verify('no token'); // undefined
 */
export class HmacGrantSigner implements GrantSigner {
  readonly #current: Keys;
  readonly #keys: readonly Keys[];
  /** The grants of verified tokens, the latest last. A cache, since a valid signature stays valid. */
  readonly #verified: Map<string, Grant> = new Map();

  /** @throws TypeError if a secret is missing or has fewer than 16 bytes. */
  constructor(options: HmacGrantSignerOptions) {
    // In plain JavaScript, nothing else reports a missing or misplaced secret.
    if (!Array.isArray(options?.secrets)) {
      throw new TypeError("write new HmacGrantSigner({ secrets: ['at least 16 bytes'] })");
    }
    const [current = '', ...earlier] = options.secrets;
    this.#current = deriveKeys(current);
    this.#keys = [this.#current, ...earlier.map(deriveKeys)];
  }

  sign(grant: Grant): string {
    const bytes = encodeGrant(grant);
    const mac = computeMac(bytes, this.#current);
    return Buffer.concat([cryptViewer(bytes, mac, this.#current), mac]).toString('base64url');
  }

  verify(token: string): Grant | undefined {
    const known = this.#verified.get(token);
    if (known !== undefined) return known;
    const grant = this.#read(token);
    if (grant === undefined) return undefined;
    // A copy, because a slice would keep the whole Cookie header or address in memory.
    this.#verified.set(Buffer.from(token, 'latin1').toString('latin1'), grant);
    if (this.#verified.size > MAX_VERIFIED) {
      const [oldest = token] = this.#verified.keys();
      this.#verified.delete(oldest);
    }
    return grant;
  }

  #read(token: string): Grant | undefined {
    if (!TOKEN.test(token)) return undefined;
    const bytes = Buffer.from(token, 'base64url');
    const encrypted = bytes.subarray(0, -MAC_BYTES);
    const mac = bytes.subarray(-MAC_BYTES);
    for (const keys of this.#keys) {
      const decrypted = cryptViewer(encrypted, mac, keys);
      if (timingSafeEqual(computeMac(decrypted, keys), mac)) return decodeGrant(decrypted);
    }
    return undefined;
  }
}

function deriveKeys(secret: string | Uint8Array): Keys {
  const bytes = Buffer.from(secret);
  if (bytes.length < MIN_SECRET_LENGTH) {
    throw new TypeError(`a secret for viewing grants has at least ${MIN_SECRET_LENGTH} bytes`);
  }
  const derive = (purpose: string): KeyObject =>
    createSecretKey(Buffer.from(hkdfSync('sha256', bytes, '', purpose, MAC_BYTES)));
  return { signing: derive(SIGNING_PURPOSE), encryption: derive(ENCRYPTION_PURPOSE) };
}

/** Encrypts the viewer after the grant, or decrypts it: with a stream cipher both are the same. */
function cryptViewer(bytes: Buffer, mac: Buffer, { encryption }: Keys): Buffer {
  if (bytes.length === GRANT_BYTES) return bytes;
  const cipher = createCipheriv('aes-256-ctr', encryption, mac.subarray(0, NONCE_BYTES));
  return Buffer.concat([bytes.subarray(0, GRANT_BYTES), cipher.update(bytes.subarray(GRANT_BYTES))]);
}

function encodedLength(bytes: number): number {
  return (bytes / 3) * 4;
}

function computeMac(bytes: Uint8Array, { signing }: Keys): Buffer {
  return createHmac('sha256', signing).update(bytes).digest();
}

/** Encodes a grant in {@link GRANT_BYTES} bytes, followed by whole blocks if it names a viewer. */
function encodeGrant(grant: Grant): Buffer {
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
function decodeGrant(bytes: Buffer): Grant | undefined {
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
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
