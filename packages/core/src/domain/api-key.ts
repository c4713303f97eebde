import type { EventActor } from './history.ts';
import { type AccountId, type Branded, SHA256, type Sha256 } from './identity.ts';
import { type Duration, type Instant, minutes } from './instant.ts';

/** The public part of an API key, which identifies it. */
export type ApiKeyId = Branded<string, 'ApiKeyId'>;

/** Reads the id of an API key, 1 to 32 letters and digits; `undefined` for anything else. */
export function parseApiKeyId(text: string): ApiKeyId | undefined {
  return /^[0-9A-Za-z]{1,32}$/.test(text) ? (text as ApiKeyId) : undefined;
}

/** A right of a key or a session. */
export type Scope = 'pins:read' | 'pins:write' | 'manage' | 'admin';

/** All scopes. `manage` signs in to the management screen; `admin` also administers the service. */
export const KNOWN_SCOPES: readonly Scope[] = ['pins:read', 'pins:write', 'manage', 'admin'];

/** The scopes of an account's members: everything in their own account. No scope is ever added to these three. */
export const MEMBER_SCOPES: readonly ['pins:read', 'pins:write', 'manage'] = Object.freeze([
  'pins:read',
  'pins:write',
  'manage',
] as const);

export function mayManage(scopes: readonly Scope[]): boolean {
  return scopes.includes('manage') || scopes.includes('admin');
}

/** The default scopes of a key (docs/wire.md#requests). */
export const DEFAULT_SCOPES: readonly Scope[] = ['pins:read', 'pins:write'];

/** An API key as it is stored, without its secret. */
export interface ApiKey {
  readonly id: ApiKeyId;
  readonly account: AccountId;
  readonly scopes: readonly Scope[];
  readonly label: string;
  readonly secretHash: Sha256;
  readonly createdAt: Instant;
  readonly lastUsedAt: Instant | null;
  readonly revokedAt: Instant | null;
  /** Whether a setting contains the key. Such a key is never deleted: the setting would create a revoked one again. */
  readonly isEnsured: boolean;
}

/** The default maximum of an account's keys that are not revoked. */
export const DEFAULT_KEY_LIMIT = 100;

/** An authenticated caller. */
export interface Caller {
  readonly account: AccountId;
  readonly displayName?: string;
  readonly scopes: readonly Scope[];
  readonly key?: ApiKeyId;
  /**
   * Whether Pinfold stores the key: then a change is refused once the key is gone, as when its account is erased. False for
   * a key from an embedding team's own sign-in.
   */
  readonly isKeyStored?: boolean;
  /** The person's name in the history, if an account has several people. Never an address or a secret. */
  readonly person?: string;
  /** The user of the server's machine who acts as the operator; null if the system has no name for the user. */
  readonly operator?: string | null;
}

/** A person's consent that a program gets one key. */
export interface Consent {
  readonly account: AccountId;
  /** The scopes of the key; never `admin`. */
  readonly scopes: readonly Scope[];
  readonly label: string;
  readonly actor: EventActor;
  /** The session in which it was given, which ends it; null if an embedding team has sessions of its own. */
  readonly session: Sha256 | null;
  /** The key with which it was given without a session; its revocation ends the consent. */
  readonly apiKey: ApiKeyId | null;
}

/** A program that asks for a key, as it is stored, without its secret. */
export interface Pairing {
  readonly secretHash: Sha256;
  /** From this instant on it gets no key. */
  readonly endsAt: Instant;
  /** Null until a person has given it. */
  readonly consent: Consent | null;
}

export const PAIRING_LIMIT = 10_000;

export const PAIRING_LIFETIME: Duration = minutes(10);

/** Crockford's base 32: no two digits look or sound alike. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Eight characters by which a person compares two secrets, from the SHA-256 in hexadecimal; `undefined` if it is not one. */
export function pairingCode(hash: string): string | undefined {
  if (!SHA256.test(hash)) return undefined;
  let code = '';
  for (let bits = Number.parseInt(hash.slice(0, 10), 16); code.length < 8; bits = Math.floor(bits / 32)) {
    code = DIGITS.charAt(bits % 32) + code;
  }
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
