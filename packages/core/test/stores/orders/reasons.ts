/** Kinds of locks, with calls that have wrong outcomes without such locks. */
export const NEEDED: Readonly<Record<string, readonly [string, string]>> = {
  account: ['publish', 'publish another'],
  archive: ['publish', 'take down'],
  attempts: ['begin a try', 'begin a try later'],
  comparison: ['store a comparison', 'store a comparison'],
  credential: ['publish', 'revoke a key'],
  export: ['record a scheduled export', 'record an earlier scheduled export'],
  feed: ['read the feed', 'read the feed'],
  'first key': ['create the first key', 'create another first key'],
  idempotency: ['reserve a key', 'reserve it for another'],
  import: ['begin an import', 'register a pairing'],
  mode: ['publish', 'make the service read-only'],
  pairing: ['agree to a pairing', 'agree to the same pairing'],
  pairings: ['register a pairing', 'register another pairing'],
  views: ['add views', 'add views'],
};

/** Kinds of locks that no call needs yet. */
export const NOT_NEEDED: Readonly<Record<string, string>> = {
  service:
    'events of no account come with a change of the mode, which holds that lock, too, and are not numbered',
};

/** Calls with a promise about their combination. */
export const TOGETHER: readonly (readonly string[])[] = [
  ['publish', 'take down', 'make the service read-only'],
  ['publish', 'publish another', 'block an account'],
  ['publish', 'revoke a key', 'set a new name'],
  ['publish', 'take over a reservation', 'renew a reservation'],
  ['stop a publication', 'move a name', 'claim for a cleanup'],
  ['claim for a cleanup', 'claim for another cleanup', 'settle a failure'],
  ['take down again', 'lift a takedown', 'publish forbidden content'],
  ['begin a session', 'begin another session', 'end a session'],
  ['replace many sessions', 'end a session'],
  ['agree to a pairing', 'end a session', 'take a key'],
  ['agree to a pairing', 'agree to the same pairing', 'register another pairing'],
  ['create a key', 'create another key', 'take another key'],
  ['create the first key', 'create another first key', 'create a key'],
  ['begin a try later', 'forgive a try', 'purge tries'],
  ['begin an import again', 'import'],
];

/** A command plays every three of these calls. */
export const OFTEN: readonly string[] = [
  'publish',
  'publish another',
  'take over a reservation',
  'stop a publication',
  'claim for a cleanup',
  'move a name',
  'take down and stop',
  'block an account',
  'make the service read-only',
  'create a key',
  'revoke a key',
  'begin a session',
  'agree to a pairing',
  'take a key',
  'read the feed',
  'drop events',
];

/** Calls that take many turns: a command plays them beside the others. */
export const LONG: readonly string[] = [
  'trim events',
  'publish, and read the feed',
  'replace many sessions',
  'begin an import',
  'begin an import again',
  'import',
  'end an import',
];

/** Calls of several programs, between which other programs may run: only their programs are atomic, not the calls. */
export const SPLIT_CALLS: readonly string[] = ['purge sessions', 'purge pairings', 'purge tries', ...LONG];

/**
 * A read after the second call may miss rows that the first one still stores: a reservation is checked with data that
 * may be out of date, and its commit decides again.
 */
export const CHECKED_AGAIN_LATER: readonly (readonly [string, string])[] = [
  ['reserve a key', 'block an account'],
  ['reserve it for another', 'block an account'],
  ['take over a reservation', 'block an account'],
  ['take over a reservation', 'take down'],
  ...['begin an erasure', 'begin the erasure again'].flatMap((erasing) =>
    ['reserve a key', 'reserve it for another', 'take over a reservation'].map(
      (reserving) => [reserving, erasing] as const,
    ),
  ),
];
