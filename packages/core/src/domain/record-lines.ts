import type { Account, AccountLimits, Block } from './account.ts';
import { type ApiKey, KNOWN_SCOPES, parseApiKeyId } from './api-key.ts';
import type { EventActor, HistoryEvent } from './history.ts';
import { type Fingerprint, parseFilename } from './idempotency.ts';
import {
  type AccountId,
  type ArchiveId,
  parseAccountId,
  parseArchiveId,
  parseRoleId,
  type RoleId,
  SHA256,
} from './identity.ts';
import type { Instant } from './instant.ts';
import { type NameRecord, type PinName, parseName, parseNameToken } from './name.ts';
import type { RecordCodec } from './record-schema.ts';
import { count, flag, list, nullable, object, oneOf, parsedText, text } from './record-schema.ts';
import type { Role } from './role.ts';
import type { EncodedManifest } from './site.ts';
import type { Takedown } from './takedown.ts';
import { parseTitle, STORABLE, type Title } from './text.ts';
import { type CountedViews, dayOf } from './views.ts';
import type { Warning, WarningRules } from './warnings.ts';

/** A name in an export. */
export interface MovedName extends Omit<NameRecord, 'previous'> {
  /** The role that it showed before it was last moved; absent if it never was. */
  readonly previous?: RoleId;
}

/** A role with everything that its publication stored. */
export interface PublicationRecord extends Role {
  /** Null without an Idempotency-Key. */
  readonly fingerprint: Fingerprint | null;
  readonly warnings: readonly Warning[];
  /** When the last of its events happened; the next one is later. */
  readonly lastEventAt: Instant;
  readonly isExpiryRecorded: boolean;
  /** Null once its archive was removed. */
  readonly manifest: EncodedManifest | null;
}

/** The record of a role that ended, and whose archive was removed, after its publication was exported. */
export type RemovalRecord = Pick<Role, 'id' | 'archive' | 'expiresAt' | 'deletedAt'>;

/** A record of an export. */
export type MovedRecord =
  | { readonly kind: 'account'; readonly value: Omit<Account, 'publicationsMark'> }
  | { readonly kind: 'key'; readonly value: Omit<ApiKey, 'lastUsedAt'> }
  | { readonly kind: 'publication'; readonly value: PublicationRecord }
  | { readonly kind: 'name'; readonly value: MovedName }
  | { readonly kind: 'takedown'; readonly value: Takedown }
  | { readonly kind: 'views'; readonly value: CountedViews }
  | { readonly kind: 'event'; readonly value: HistoryEvent }
  | { readonly kind: 'removal'; readonly value: RemovalRecord };

/** Any text that every database can store. */
const anyText = <Value extends string>(): RecordCodec<Value> => text(STORABLE, 'a text');
const uuid = <Value extends string>(): RecordCodec<Value> => parsedText(parseRoleId, 'a UUID in lower case');
/** The end of the last year that RFC 3339 can write; no answer could have a later instant. */
const LAST_INSTANT = Date.UTC(10_000, 0) - 1;
const instant: RecordCodec<Instant> = count(LAST_INSTANT);
/** Leaves room to add to: a sum that is not a safe integer could not be read from a database. */
const growingCount = <Value extends number>(): RecordCodec<Value> => count(LAST_INSTANT);
const account: RecordCodec<AccountId> = parsedText(parseAccountId, 'the name of an account');
const archive: RecordCodec<ArchiveId> = parsedText(parseArchiveId, 'the id of an archive');
const name: RecordCodec<PinName> = parsedText(parseName, 'a name');
const sha256 = <Value extends string>(): RecordCodec<Value> => text(SHA256, 'a SHA-256');
/** Any length is valid: the operator may have lowered the limit since. */
const title: RecordCodec<Title> = parsedText(
  (text) => parseTitle(text, { titleCharacters: Number.POSITIVE_INFINITY }),
  'a title',
);
const quota: RecordCodec<number | 'off'> = {
  write: (value) => value,
  read: (json) => (json === 'off' ? json : count().read(json)),
};
const trueOrAbsent: RecordCodec<boolean> = {
  write: (value) => value || undefined,
  read: (json) => json !== undefined && flag.read(json),
};

/** The members of all rules: a rule with another member does not compile. */
type WarningMember = 'rule' | { [Rule in keyof WarningRules]: keyof WarningRules[Rule] }[keyof WarningRules];
const WARNING: Readonly<Record<WarningMember, RecordCodec<string | number>>> = {
  rule: anyText(),
  path: anyText(),
  target: anyText(),
  basePath: anyText(),
  file: anyText(),
  secret: anyText(),
  used: count(),
  most: count(),
  encoding: anyText(),
  tool: anyText(),
  need: anyText(),
};
const [, ...optionalMembers] = Object.keys(WARNING) as WarningMember[];
const warning = object(WARNING, optionalMembers) as unknown as RecordCodec<Warning>;

/** The members of each kind, in the order of a line. */
const CODECS: {
  readonly [Kind in MovedRecord['kind']]: RecordCodec<Extract<MovedRecord, { readonly kind: Kind }>['value']>;
} = {
  account: object({
    name: account,
    limits: object<AccountLimits>({
      requests: nullable(anyText()),
      publications: nullable(anyText()),
      sites: nullable(quota),
      bytes: nullable(quota),
    }),
    // Without `isErasing`: an account that was being erased is imported as a blocked one.
    blocked: nullable(
      object<Omit<Block, 'isErasing'>>({ reason: anyText(), sites: oneOf('keep', 'hide'), at: instant }),
    ),
    generation: growingCount(),
    lastPublishedAt: nullable(instant),
  }),
  key: object({
    id: parsedText(parseApiKeyId, 'the id of a key'),
    account,
    scopes: list(oneOf(...KNOWN_SCOPES)),
    label: anyText(),
    secretHash: sha256(),
    createdAt: instant,
    revokedAt: nullable(instant),
    isEnsured: trueOrAbsent,
  }),
  publication: object({
    id: uuid(),
    account,
    archive,
    idempotencyKey: nullable(text(/^[\x20-\x7e]+$/, 'printable ASCII')),
    title: nullable(title),
    originalFilename: nullable(parsedText(parseFilename, 'the name of a file')),
    fileCount: growingCount(),
    size: growingCount(),
    archiveBytes: growingCount(),
    sha256: sha256(),
    publishedAt: instant,
    expiresAt: nullable(instant),
    pinned: flag,
    deletedAt: nullable(instant),
    // The base64 of 96 bytes that begin with "scrypt" and a zero byte.
    passwordHash: nullable(text(/^(?:c2NyeXB0A[\dA-Za-z+/]{119})?$/, 'a password hash')),
    generation: growingCount(),
    fingerprint: nullable(sha256()),
    warnings: list(warning),
    lastEventAt: instant,
    isExpiryRecorded: flag,
    manifest: nullable(anyText()),
  }),
  name: object<MovedName>(
    {
      account,
      name,
      token: parsedText(parseNameToken, 'the token of a name'),
      role: uuid(),
      updatedAt: instant,
      previous: uuid(),
    },
    ['previous'],
  ),
  takedown: object({
    id: uuid(),
    account,
    sha256: sha256(),
    reason: anyText(),
    at: instant,
    liftedAt: nullable(instant),
  }),
  views: object({
    role: uuid(),
    day: count(dayOf(LAST_INSTANT as Instant)),
    views: growingCount(),
    refusedPasswords: growingCount(),
  }),
  event: object({
    id: uuid(),
    at: instant,
    type: text(/^[a-z]+\.[a-z_]+$/, 'the type of an event'),
    account: nullable(account),
    pin: nullable(uuid()),
    name: nullable(name),
    actor: object<EventActor>({
      kind: oneOf('key', 'person', 'operator', 'system'),
      id: nullable(anyText()),
    }),
    request: nullable(anyText()),
    address: nullable(anyText()),
    asOperator: flag,
    recordedAt: instant,
  }),
  removal: object({
    id: uuid(),
    archive,
    expiresAt: nullable(instant),
    deletedAt: nullable(instant),
  }),
};

/**
 * Writes a record as one line of an export, without its end: a JSON object whose members are in the order of
 * docs/operators/export-format.md, so that equal records are equal lines.
 */
export function recordLine({ kind, value }: MovedRecord): string {
  return JSON.stringify({ record: kind, ...(CODECS[kind].write(value as never) as object) });
}

/** @throws TypeError for a line that is not a record. Its message repeats no text of the line, which may be secret. */
export function readRecordLine(line: string): MovedRecord {
  const { record: kind, ...value } = parseLine(line);
  if (typeof kind !== 'string' || !Object.hasOwn(CODECS, kind))
    throw new TypeError('record: a kind was expected');
  return { kind, value: CODECS[kind as MovedRecord['kind']].read(value) } as MovedRecord;
}

function parseLine(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The message of the parser would repeat text of the line.
    throw new TypeError('JSON was expected');
  }
  throw new TypeError('an object was expected');
}
