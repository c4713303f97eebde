/** Locks by their kind, with calls that come out wrong when nobody takes such locks. */
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
  import: ['begin an import', 'register a program'],
  mode: ['publish', 'make it read-only'],
  pairing: ['agree to a program', 'agree to the same program'],
  pairings: ['register a program', 'register another program'],
  views: ['add views', 'add views'],
};

/** Kinds of locks that no call needs yet. */
export const NOT_NEEDED: Readonly<Record<string, string>> = {
  service:
    'events of no account come with a change of the mode, which holds that lock, too, and are not numbered',
};

/** Calls that promise something together. */
export const TOGETHER: readonly (readonly string[])[] = [
  ['publish', 'take down', 'make it read-only'],
  ['publish', 'publish another', 'block an account'],
  ['publish', 'revoke a key', 'set a new name'],
  ['publish', 'take over a reservation', 'renew a reservation'],
  ['stop a publication', 'move a name', 'claim for a cleanup'],
  ['claim for a cleanup', 'claim for another cleanup', 'settle a failure'],
  ['take down again', 'lift a takedown', 'publish forbidden content'],
  ['begin a session', 'begin another session', 'end a session'],
  ['begin a session past many', 'end a session'],
  ['agree to a program', 'end a session', 'take a key'],
  ['agree to a program', 'agree to the same program', 'register another program'],
  ['create a key', 'create another key', 'take another key'],
  ['create the first key', 'create another first key', 'create a key'],
  ['begin a try later', 'forgive a try', 'purge tries'],
  ['begin an import again', 'import'],
];

/** Of these calls a command plays every three. */
export const OFTEN: readonly string[] = [
  'publish',
  'publish another',
  'take over a reservation',
  'stop a publication',
  'claim for a cleanup',
  'move a name',
  'take down and stop',
  'block an account',
  'make it read-only',
  'create a key',
  'revoke a key',
  'begin a session',
  'agree to a program',
  'take a key',
  'read the feed',
  'drop events',
];

/** Calls that take many turns: a command plays them beside the others. */
export const LONG: readonly string[] = [
  'thin events',
  'publish, and read the feed',
  'begin a session past many',
  'begin an import',
  'begin an import again',
  'import',
  'end an import',
];

/** Methods of several programs, between which others may come: only their programs are compared with whole ones. */
export const IN_PARTS: readonly string[] = ['purge sessions', 'purge programs', 'purge tries', ...LONG];

/**
 * After the second call a look may miss what the first one still stores: a reservation is judged by what may be out of
 * date, and its commit decides again.
 */
export const DECIDED_LATER: readonly (readonly [string, string])[] = [
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

/** A program that no other one of some disturbs, even without locks, though they use one table. */
interface Harmless {
  readonly program: string;
  readonly beside: readonly string[];
  readonly why: string;
}

const STORING_EVENTS = [
  ...['roles.commit', 'roles.save', 'roles.settle_cleanup', 'names.set', 'names.delete', 'accounts.save'],
  ...['takedowns.take_down', 'takedowns.lift', 'mode.change', 'history.record_expirations'],
  ...[
    'history.record_once',
    'api_keys.create',
    'api_keys.create_first',
    'api_keys.revoke',
    'pairings.agree',
    'pairings.take',
  ],
  ...['sessions.begin', 'sessions.offer', 'sessions.end', 'sessions.refuse'],
];

/** Programs that use one table, one of them to write, and that no order makes wrong, even without locks. */
export const HARMLESS: readonly Harmless[] = [
  {
    program: 'history.number',
    beside: STORING_EVENTS,
    why: 'an event that it does not see yet gets its number when the feed is read next',
  },
  {
    program: 'history.remove',
    beside: STORING_EVENTS,
    why: 'what it removes is old, and a new event gets the number after the last one, which the beginning of the feed keeps',
  },
  {
    program: 'mode.change',
    beside: [
      ...['roles.settle_cleanup', 'takedowns.take_down', 'takedowns.lift', 'accounts.save', 'pairings.agree'],
      ...['api_keys.create_first', 'api_keys.revoke', 'history.record_expirations', 'history.record_once'],
      ...['sessions.begin', 'sessions.offer', 'sessions.end', 'sessions.refuse'],
    ],
    why: 'they run in every mode, and its events are of no account',
  },
  {
    program: 'api_keys.touch',
    beside: [
      ...['roles.reserve', 'roles.commit', 'roles.save', 'names.set', 'names.delete', 'pairings.take'],
      ...['api_keys.create', 'api_keys.create_first', 'api_keys.revoke', 'api_keys.purge'],
      'sessions.begin',
    ],
    why: 'none of them decides by the last use of a key',
  },
  {
    program: 'api_keys.purge',
    beside: [
      ...['roles.reserve', 'roles.commit', 'roles.save', 'names.set', 'names.delete', 'pairings.take'],
      ...['api_keys.create_first', 'api_keys.revoke', 'sessions.begin'],
    ],
    why: 'what it removes was revoked long before, and is asked for no more',
  },
  {
    program: 'roles.claim_for_cleanup',
    beside: ['roles.commit', 'names.set', 'names.delete', 'takedowns.lift', 'history.record_once'],
    why: 'it changes what only cleanups read, of roles that have ended',
  },
  {
    program: 'takedowns.claim_purge',
    beside: [
      ...['roles.commit', 'roles.save', 'names.set', 'names.delete'],
      ...['takedowns.take_down', 'takedowns.lift', 'history.record_expirations', 'history.record_once'],
    ],
    why: 'it changes what only cleanups read, of roles that were stopped',
  },
  {
    program: 'roles.renew',
    beside: ['roles.renew', 'roles.release', 'roles.remove_reservations'],
    why: 'what is removed right after it was renewed is gone, and what is gone is not renewed',
  },
  {
    program: 'roles.settle_cleanup',
    beside: ['roles.reserve', 'roles.renew', 'roles.release', 'roles.remove_reservations'],
    why: 'it changes the warnings of a complete key alone',
  },
  {
    program: 'erasures.advance',
    beside: [
      ...['roles.commit', 'roles.save', 'names.set', 'names.delete', 'accounts.save', 'mode.change'],
      ...[
        'api_keys.create',
        'api_keys.create_first',
        'pairings.agree',
        'pairings.take',
        'sessions.begin',
        'erasures.begin',
      ],
    ],
    why: 'once the account is being erased they are refused, and what it erases first are events',
  },
  {
    program: 'erasures.claim_archives',
    beside: [
      ...[
        'roles.commit',
        'roles.save',
        'roles.settle_cleanup',
        'roles.drop_titles',
        'names.set',
        'names.delete',
      ],
      ...['takedowns.take_down', 'takedowns.lift', 'takedowns.claim_purge'],
      ...['history.record_once', 'history.record_expirations'],
    ],
    why: 'it changes what only cleanups read, of roles that were stopped',
  },
  {
    program: 'erasures.begin',
    beside: ['api_keys.create_first', 'sessions.refuse'],
    why: 'no key is there, and of an account that is being erased a refused sign-in is stored, and erased',
  },
  {
    program: 'roles.drop_titles',
    beside: ['roles.commit', 'names.set', 'names.delete', 'takedowns.lift', 'history.record_once'],
    why: 'none of them decides by the title of a role that ended long ago',
  },
  { program: 'roles.release', beside: ['roles.release'], why: 'what is gone stays gone' },
  { program: 'attempts.settle', beside: ['attempts.settle'], why: 'what is gone stays gone' },
  { program: 'attempts.begin', beside: ['attempts.settle'], why: 'a try counts until it is settled' },
  {
    program: 'roles.reserve',
    beside: ['takedowns.lift', 'api_keys.create', 'api_keys.create_first', 'pairings.take'],
    why: 'a reservation is judged by what may be out of date, and asks for no key that is created meanwhile',
  },
  { program: 'api_keys.create_first', beside: ['api_keys.revoke'], why: 'no key is there to be revoked' },
  { program: 'sessions.offer', beside: ['sessions.purge_links'], why: 'a new link has not ended' },
  {
    program: 'pairings.agree',
    beside: ['pairings.register', 'pairings.purge'],
    why: 'a consent changes neither the number of pairings nor their ends',
  },
];
