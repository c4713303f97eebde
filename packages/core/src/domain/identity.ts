import type { Instant } from './instant.ts';

/** A SHA-256 in 64 lower-case hexadecimal digits. */
export type Sha256 = Branded<string, 'Sha256'>;

export const SHA256: RegExp = /^[0-9a-f]{64}$/;

declare const brand: unique symbol;

/** A validated value (a branded type): only the function that validates it makes one, so no other code checks it again. */
export type Branded<Value, Name extends string> = Value & { readonly [brand]: Name };

/** A role's id: a UUID in lower case, and the last segment of its shared URL. */
export type RoleId = Branded<string, 'RoleId'>;

/** A stored archive's id: its creation instant in 13 digits, `-`, and a UUID. New for every attempt, never the role's. */
export type ArchiveId = Branded<string, 'ArchiveId'>;

/** The owner of roles: 1 to 255 printable characters from the embedding team's `authenticate`, opaque to Pinfold. */
export type AccountId = Branded<string, 'AccountId'>;

/** Identifies one holder of a reservation or claim; never reused. */
export type Token = Branded<string, 'Token'>;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ARCHIVE = /^\d{13}-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const PRINTABLE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,255}$/u;

let lastParsed: RoleId | undefined;

/** Reads a UUID in any letter case (RFC 9562, section 4); `undefined` for anything else. */
export function parseRoleId(text: string): RoleId | undefined {
  // Each view parses its id twice: in the door and in the use case.
  if (text === lastParsed) return lastParsed;
  // Callers without types may pass anything.
  const lower = typeof text === 'string' ? text.toLowerCase() : '';
  if (!UUID.test(lower)) return undefined;
  lastParsed = lower as RoleId;
  return lastParsed;
}

/** Reads the id of an archive from its name in storage; `undefined` if the name is not one of ours. */
export function parseArchiveId(text: string): ArchiveId | undefined {
  return ARCHIVE.test(text) ? (text as ArchiveId) : undefined;
}

/** Makes the id of an archive created at `at`, from a new UUID in lower case. */
export function archiveIdOf(at: Instant, uuid: string): ArchiveId {
  const id = parseArchiveId(`${String(at).padStart(13, '0')}-${uuid}`);
  if (id === undefined)
    throw new TypeError('an archive id needs a UUID in lower case and an instant of 13 digits');
  return id;
}

/** Reads the instant of creation from an archive's id: the time of a file or an object is not a reliable age. */
export function archiveCreatedAt(id: ArchiveId): Instant {
  return Number(id.slice(0, 13)) as Instant;
}

/**
 * Takes a name as an account.
 *
 * @throws TypeError unless it has 1 to 255 printable characters.
 */
export function accountId(name: string): AccountId {
  const id = parseAccountId(name);
  if (id === undefined) throw new TypeError('an account is 1 to 255 printable characters');
  return id;
}

export function parseAccountId(name: string): AccountId | undefined {
  const isName = typeof name === 'string' && PRINTABLE.test(name);
  return isName ? (name as AccountId) : undefined;
}
