import type { EventActor } from './history.ts';
import type { AccountId, Branded } from './identity.ts';
import type { Instant } from './instant.ts';
import { SHA256, type Sha256 } from './sha256.ts';

/** The public part of an API key, by which it is looked up. */
export type ApiKeyId = Branded<string, 'ApiKeyId'>;

/** Reads the id of an API key, 1 to 32 letters and digits; `undefined` for anything else. */
export function parseApiKeyId(text: string): ApiKeyId | undefined {
  return /^[0-9A-Za-z]{1,32}$/.test(text) ? (text as ApiKeyId) : undefined;
}

/** A right of a key or a session. */
export type Scope = 'pins:read' | 'pins:write' | 'manage' | 'admin';

/** All scopes there are. `manage` signs in to the management screen; `admin` does, too, and administers the service. */
export const KNOWN_SCOPES: readonly Scope[] = ['pins:read', 'pins:write', 'manage', 'admin'];

/** The scopes of an account's members: everything with their own things. No scope is ever added to these three. */
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
  /** Whether a setting contains its text: then it is never deleted, so that a revoked one stays revoked. */
  readonly isEnsured: boolean;
}

/** The most keys of an account that are not revoked, unless an option says otherwise. */
export const DEFAULT_KEY_LIMIT = 100;

/** An authenticated caller. */
export interface Caller {
  readonly account: AccountId;
  readonly displayName?: string;
  readonly scopes: readonly Scope[];
  readonly key?: ApiKeyId;
  /** Whether the key is one of `Keys`: a change is refused once it is gone, as with its erased account. Not a team's own. */
  readonly isKeyStored?: boolean;
  /** The person, for the history, if an account has several. Never an address or a secret. */
  readonly person?: string;
  /** A user of the server's machine, or null where the system has no name for it: acts with the operator's authority. */
  readonly operator?: string | null;
}

/** A person's consent that a program gets one key. */
export interface Consent {
  readonly account: AccountId;
  /** The scopes of the key; never `admin`. */
  readonly scopes: readonly Scope[];
  readonly label: string;
  readonly actor: EventActor;
  /** The session in which it was given; null where sessions are not ours. The consent ends with it. */
  readonly session: Sha256 | null;
  /** The key with which it was given, where that was no session of ours: the consent ends when it is revoked. */
  readonly apiKey: ApiKeyId | null;
}

/** A program that asks for a key, as it is stored, without its secret. */
export interface Pairing {
  readonly secretHash: Sha256;
  /** From this instant on there is no key for it. */
  readonly endsAt: Instant;
  /** Null until a person has agreed. */
  readonly consent: Consent | null;
}

export const PAIRING_LIMIT = 10_000;

/** Nothing that is taken for another when it is read aloud or copied by eye (Crockford's base 32). */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Eight characters that show a person that two secrets are the same, by the SHA-256; `undefined` if it is none. */
export function pairingCode(hash: string): string | undefined {
  if (!SHA256.test(hash)) return undefined;
  let code = '';
  for (let bits = Number.parseInt(hash.slice(0, 10), 16); code.length < 8; bits = Math.floor(bits / 32)) {
    code = DIGITS.charAt(bits % 32) + code;
  }
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
