import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type AccountId,
  after,
  before,
  duration,
  type EncodedManifest,
  type Filename,
  type Fingerprint,
  type Generation,
  type IdempotencyKey,
  type Instant,
  type PasswordHash,
  type RoleCommit as Publication,
  type Reservation,
  type Role,
  type RoleId,
  type RoleStore,
  type Title,
  type Version,
} from '@pinfold/core';
import type { Spoiling } from '../saboteurs/memory-saboteurs.ts';
import { type Sabotages, turns, waysOf } from './ways.ts';

const { answers, asks, coversUp, does, hurries, isCurtIn, isRawIn, keeps, misnames } = waysOf<RoleStore>();

const MOMENT = duration(1);
const LOST = { kind: 'lost' } as const;
const COMMITTED = { kind: 'committed' } as const;
const CONFLICT = { kind: 'conflict' } as const;
const SAVED = { kind: 'saved' } as const;
const NO_LIMITS = { publications: null, sites: null, bytes: null };

/** Reserves something else in some of its members. */
function reserves(change: (request: Reservation) => Partial<Reservation>): Spoiling<RoleStore> {
  return asks('reserve', (request) => [{ ...request, ...change(request) }]);
}

/** Commits something else in some of its members. */
function commits(change: (publication: Publication) => Partial<Publication>): Spoiling<RoleStore> {
  return asks('commit', (publication, lease, events) => [
    { ...publication, ...change(publication) },
    lease,
    events,
  ]);
}

/** Commits a role that is another in some of its members. */
function commitsRole(change: (role: Role) => Partial<Role>): Spoiling<RoleStore> {
  return commits(({ role }) => ({ role: { ...role, ...change(role) } }));
}

/** Saves a role that is another in some of its members. */
function saves(change: (role: Role) => Partial<Role>): Spoiling<RoleStore> {
  return asks('save', (role, version, events) => [{ ...role, ...change(role) }, version, events]);
}

/** Keeps of a saved role what it was before, in some of its members. */
function savesNot(members: (before: Role) => Partial<Role>): Spoiling<RoleStore> {
  return does('save', async (store, role, version, events) => {
    const found = await store.load(role.id);
    return await store.save(
      found === undefined ? role : { ...role, ...members(found.value) },
      version,
      events,
    );
  });
}

const reservingSabotages: Sabotages<RoleStore> = {
  'keys are in lower case': reserves(({ key }) => ({ key: key.toLowerCase() as IdempotencyKey })),
  'keys of all accounts are one list': reserves(() => ({ account: 'all' as AccountId })),
  'every key is reserved': does('reserve', async (_, { account, key, token }) => ({
    kind: 'reserved' as const,
    lease: { account, key, token },
  })),
  'a reservation is forgotten': does('reserve', async (store, request) => {
    const outcome = await store.reserve(request);
    if (outcome.kind === 'reserved') await store.release(outcome.lease);
    return outcome;
  }),
  'a reservation lasts a millisecond more': reserves(({ until }) => ({ until: after(until, MOMENT) })),
  'a reservation lasts a millisecond less': reserves(({ until }) => ({ until: before(until, MOMENT) })),
  'a reservation lapses after its instant, not at it': reserves(({ now }) => ({ now: before(now, MOMENT) })),
  'reservations never lapse': reserves(() => ({ now: 0 as Instant })),
  'who waits makes a reservation longer': does('reserve', async (store, request) => {
    const outcome = await store.reserve(request);
    return outcome.kind === 'in_progress' ? { ...outcome, until: request.until } : outcome;
  }),
  'fingerprints are not compared': reserves(() => ({ fingerprint: 'same' as Fingerprint })),
  'fingerprints are compared by half': reserves(({ fingerprint }) => ({
    fingerprint: fingerprint.slice(0, 32) as Fingerprint,
  })),
  'fingerprints are in lower case': reserves(({ fingerprint }) => ({
    fingerprint: fingerprint.toLowerCase() as Fingerprint,
  })),
  'a mismatch is in progress': answers('reserve', (outcome, { until }) =>
    outcome.kind === 'mismatch' ? { kind: 'in_progress' as const, until } : outcome,
  ),
  'a complete key is a mismatch': answers('reserve', (outcome) =>
    outcome.kind === 'complete' ? { kind: 'mismatch' as const } : outcome,
  ),
  'a complete key has no warnings': answers('reserve', (outcome) =>
    outcome.kind === 'complete' ? { ...outcome, warnings: [] } : outcome,
  ),
  'a complete key has one warning at most': answers('reserve', (outcome) =>
    outcome.kind === 'complete' ? { ...outcome, warnings: outcome.warnings.slice(0, 1) } : outcome,
  ),
  'a complete key answers the newest role': () => {
    let newest: RoleId | undefined;
    return (store) => ({
      commit: async (publication, lease, events) => {
        const outcome = await store.commit(publication, lease, events);
        if (outcome.kind === 'committed') newest = publication.role.id;
        return outcome;
      },
      reserve: async (request) => {
        const outcome = await store.reserve(request);
        return outcome.kind === 'complete' ? { ...outcome, role: newest ?? outcome.role } : outcome;
      },
    });
  },
  'limits are not looked at when reserving': reserves(() => ({ limits: NO_LIMITS })),
  'who is past the rate is told now': answers('reserve', (outcome, { now }) =>
    outcome.kind === 'refused' && outcome.code === 'rate_limited' ? { ...outcome, retryAt: now } : outcome,
  ),
  'a renewal does nothing': does('renew', async () => ({ kind: 'held' as const })),
  'every renewal is lost': does('renew', async () => LOST),
  'a renewal never shortens, and never goes a day on': asks('renew', (lease, until) => [
    lease,
    before(until, MOMENT),
  ]),
  'any lease of the key is renewed': () => {
    const tokens = new Map<string, Reservation>();
    return (store) => ({
      reserve: async (request) => {
        const outcome = await store.reserve(request);
        if (outcome.kind === 'reserved') tokens.set(`${request.account}/${request.key}`, request);
        return outcome;
      },
      renew: async (lease, until) => {
        const held = tokens.get(`${lease.account}/${lease.key}`);
        return await store.renew(held === undefined ? lease : { ...lease, token: held.token }, until);
      },
    });
  },
  'a release does nothing': does('release', async () => undefined),
  'a release answers before it is done': hurries('release', undefined),
  'a fault of a release has another name': misnames('release', 'storage_unavailable'),
  'a store that does not answer reserves': coversUp('reserve', { kind: 'mismatch' as const }),
};

const committingSabotages: Sabotages<RoleStore> = {
  'a commit stores nothing': does('commit', async () => COMMITTED),
  'a commit answers before it is done': hurries('commit', COMMITTED),
  'a commit releases its key': does('commit', async (store, publication, lease, events) => {
    await store.release(lease);
    const again = { ...lease, until: publication.role.publishedAt };
    const key = `${lease.key} kept` as IdempotencyKey;
    const request = {
      ...again,
      key,
      fingerprint: 'f' as Fingerprint,
      archiveBytes: 0,
      sha256: publication.role.sha256,
      limits: NO_LIMITS,
      now: publication.now,
    };
    const reserved = await store.reserve(request);
    return reserved.kind === 'reserved'
      ? await store.commit(publication, reserved.lease, events)
      : { kind: 'lease_lost' as const };
  }),
  'committing again is lost': () => {
    const done = new Set<RoleId>();
    return (store) => ({
      commit: async (publication, lease, events) => {
        if (done.has(publication.role.id)) return { kind: 'lease_lost' as const };
        const outcome = await store.commit(publication, lease, events);
        if (outcome.kind === 'committed') done.add(publication.role.id);
        return outcome;
      },
    });
  },
  'limits are not looked at when committing': commits(() => ({ limits: NO_LIMITS })),
  'a refused commit gives its lease up': does('commit', async (store, publication, lease, events) => {
    const outcome = await store.commit(publication, lease, events);
    if (outcome.kind === 'refused') await store.release(lease);
    return outcome;
  }),
  'a manifest is trimmed': commits(({ manifest }) => ({ manifest: manifest.trim() as EncodedManifest })),
  'a manifest is cut at a MiB': commits(({ manifest }) => ({
    manifest: manifest.slice(0, 1_048_576) as EncodedManifest,
  })),
  'no more than 64 warnings are kept': commits(({ warnings }) => ({ warnings: warnings.slice(0, 64) })),
  'targets of warnings are cut at 100 characters': commits(({ warnings }) => ({
    warnings: warnings.map((warning) =>
      'target' in warning ? { ...warning, target: String(warning.target).slice(0, 100) } : warning,
    ) as typeof warnings,
  })),
  'titles are cut at 255 UTF-16 units': commitsRole(({ title }) => ({
    title: (title?.slice(0, 255) ?? null) as Title | null,
  })),
  'titles are trimmed': commitsRole(({ title }) => ({ title: (title?.trim() ?? null) as Title | null })),
  'no title is an empty one': commitsRole(({ title }) => ({ title: title ?? ('' as Title) })),
  'file names are in lower case': commitsRole(({ originalFilename }) => ({
    originalFilename: originalFilename.toLowerCase() as Filename,
  })),
  'file names are cut at 255 bytes': commitsRole(({ originalFilename }) => ({
    originalFilename: Buffer.from(originalFilename).subarray(0, 255).toString() as Filename,
  })),
  'sizes have 32 bits': commitsRole(({ size }) => ({ size: size % 4_294_967_296 })),
  'sizes are of floating point of 32 bits': commitsRole(({ size }) => ({ size: Math.fround(size) })),
  'pins are forgotten': commitsRole(() => ({ pinned: false })),
  'what is deleted when it is committed is not': commitsRole(() => ({ deletedAt: null })),
  'passwords are forgotten': commitsRole(() => ({ passwordHash: null })),
  'passwords are cut at 128 characters': commitsRole(({ passwordHash }) => ({
    passwordHash: (passwordHash?.slice(0, 128) ?? null) as PasswordHash | null,
  })),
  'generations begin at 1': commitsRole(() => ({ generation: 1 as Generation })),
  'hashes of archives are numbers': commitsRole(({ sha256 }) => ({
    sha256: String(Number(`0x${sha256}`)) as typeof sha256,
  })),
  'files are counted to 65,535': commitsRole(({ fileCount }) => ({ fileCount: Math.min(fileCount, 65_535) })),
  'publications are of now': commitsRole(() => ({ publishedAt: Date.now() as Instant })),
  'what fails in a commit comes out raw': isRawIn('commit'),
  'a commit that cannot be made is made': coversUp('commit', COMMITTED),
};

const changingSabotages: Sabotages<RoleStore> = {
  'every load is kept': keeps('load'),
  'an unknown role is a fault': answers('load', (found) => {
    if (found === undefined) throw new Error('unknown');
    return found;
  }),
  'a deleted role is not loaded': answers('load', (found) =>
    found?.value.deletedAt === null ? found : undefined,
  ),
  'every version is 1': answers('load', (found) => found && { ...found, version: 1 as Version }),
  'versions are odd': answers(
    'load',
    (found) => found && { ...found, version: (found.version * 2 + 1) as Version },
  ),
  'a save answers before it is done': hurries('save', SAVED),
  'a save stores nothing': does('save', async () => SAVED),
  'the last save wins': does('save', async (store, role, _, events) => {
    const found = await store.load(role.id);
    return found === undefined ? CONFLICT : await store.save(role, found.version, events);
  }),
  'a save looks first and writes later': does('save', async (store, role, version, events) => {
    const seen = await store.load(role.id);
    if (seen?.version !== version) return CONFLICT;
    await nextTurn();
    const now = await store.load(role.id);
    return now === undefined ? CONFLICT : await store.save(role, now.version, events);
  }),
  'a conflict is saved': answers('save', () => SAVED),
  'every save is a conflict': does('save', async () => CONFLICT),
  'a saved title is forgotten': savesNot(({ title }) => ({ title })),
  'a saved expiration is forgotten': savesNot(({ expiresAt }) => ({ expiresAt })),
  'a saved pin is forgotten': savesNot(({ pinned }) => ({ pinned })),
  'a saved stop is forgotten': savesNot(({ deletedAt }) => ({ deletedAt })),
  'a saved password is forgotten': savesNot(({ passwordHash }) => ({ passwordHash })),
  'a saved generation is forgotten': savesNot(({ generation }) => ({ generation })),
  'what is deleted stays so': savesNot(({ deletedAt }) => (deletedAt === null ? {} : { deletedAt })),
  'what never expires expires at last': saves(({ expiresAt }) => ({
    expiresAt: expiresAt ?? (8_640_000_000_000_000 as Instant),
  })),
  'saving a role saves those of its title': does('save', async (store, role, version, events) => {
    await turns(1);
    const found = await store.load(role.id);
    return await store.save({ ...role, title: found?.value.title ?? role.title }, version, events);
  }),
  'a manifest is found after it was removed': keeps('loadManifest'),
  'an unknown manifest is empty': answers('loadManifest', (manifest) => manifest ?? ('' as EncodedManifest)),
  'a fault of a load has no cause': isCurtIn('load'),
  'a store that does not answer has no role': coversUp('load', undefined),
};

export const keySabotages: Sabotages<RoleStore> = {
  ...reservingSabotages,
  ...committingSabotages,
  ...changingSabotages,
};
