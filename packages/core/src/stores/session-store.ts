import type { Instant } from '../domain/instant.ts';
import type { Session } from '../domain/session.ts';
import type { Sha256 } from '../domain/sha256.ts';
import type { SessionQuery, SessionStore } from '../ports/session-store.ts';
import { gt, lte } from '../records/conditions.ts';
import type { Database } from '../records/database.ts';
import { all, together } from '../records/joining.ts';
import { find, get, getWith, insert, remove, upsert } from '../records/steps.ts';
import { ACCOUNTS, SESSION_REFUSALS, SESSIONS, SIGN_IN_LINKS } from '../records/tables/account-tables.ts';
import { accountLock } from '../records/tables/locks.ts';
import { isRefusal } from '../refusal.ts';
import { eventLocks, feedEnds, insertEvents } from './events.ts';
import { begin, SESSION_START_PROGRAMS, type SessionPlace, sessionLocks } from './session-start.ts';
import { StorePrograms } from './store-programs.ts';

export const SESSION_PROGRAMS: StorePrograms = new StorePrograms(SESSION_START_PROGRAMS);

const HASH = ['tokenHash'] as const;
const PLACE = [...HASH, 'account'] as const;
const RECORDED = ['recordedAt'] as const;
const NAME = ['name'] as const;

const OF_OWNER = { account: ['blocked'] } as const;

const offer = SESSION_PROGRAMS.change('sessions.offer', {
  locks: ([link, events]: Parameters<SessionStore['offer']>) => {
    return { exclusive: [...sessionLocks(link), ...eventLocks(events)] };
  },
  *run([link, events]) {
    const ends = yield* feedEnds(events);
    yield* all(insert(SIGN_IN_LINKS, link), ...insertEvents(events, ends));
  },
});

const findLink = SESSION_PROGRAMS.changeQuery('sessions.find_link', (tokenHash: Sha256) =>
  get(SIGN_IN_LINKS, { tokenHash }),
);

/** A session of an account that is being erased is unknown. */
const findSession = SESSION_PROGRAMS.query('sessions.find', function* (tokenHash: Sha256) {
  const found = yield* getWith(SESSIONS, { tokenHash }, OF_OWNER);
  return found?.references.account?.blocked?.isErasing === true ? undefined : found?.row;
});

const list = SESSION_PROGRAMS.query('sessions.list', ({ account, now, after: last, limit }: SessionQuery) => {
  const after = last === undefined ? undefined : { tokenHash: last as Sha256 };
  return find(SESSIONS, { account, endsAt: gt(now) }, { order: ['tokenHash'], after, limit });
});

/** Of a session that is to end, its account, which never changes. */
const findPlace = SESSION_PROGRAMS.changeQuery('sessions.find_place', (tokenHash: Sha256) =>
  find(SESSIONS, { tokenHash }, { select: PLACE }),
);

interface SessionEnd {
  readonly place: SessionPlace;
  readonly events: Parameters<SessionStore['end']>[1];
}

const end = SESSION_PROGRAMS.change('sessions.end', {
  locks: ({ place, events }: SessionEnd) => ({ exclusive: [...sessionLocks(place), ...eventLocks(events)] }),
  usesReserve: () => true,
  *run({ place: { tokenHash }, events }) {
    const [session, ends] = yield* together(get(SESSIONS, { tokenHash }, HASH), feedEnds(events));
    if (session === undefined) return;
    yield* all(remove(SESSIONS, { tokenHash }), ...insertEvents(events, ends));
  },
});

const refuse = SESSION_PROGRAMS.change('sessions.refuse', {
  locks: ([{ account }]: Parameters<SessionStore['refuse']>) => ({ exclusive: [accountLock(account)] }),
  *run([event, unlessSince]) {
    const { account, at } = event;
    const [known, owner, ends] = yield* together(
      get(SESSION_REFUSALS, { account }, RECORDED),
      get(ACCOUNTS, { name: account }, NAME),
      feedEnds([event]),
    );
    // Of an account that was erased since nothing may be stored.
    if (owner === undefined || (known !== undefined && known.recordedAt > unlessSince)) return;
    yield* all(upsert(SESSION_REFUSALS, { account, recordedAt: at }), ...insertEvents([event], ends));
  },
});

/** What ended once never begins again, so each is removed that is still there. */
function definePurge(name: string, table: typeof SESSIONS | typeof SIGN_IN_LINKS) {
  return SESSION_PROGRAMS.removal(name, {
    find: (endedBy: Instant, limit) =>
      find(table, { endsAt: lte(endedBy) }, { order: ['endsAt'], limit, select: PLACE }),
    locks: sessionLocks,
    *remove(places) {
      const rows = yield* all(...places.map(({ tokenHash }) => get(table, { tokenHash }, HASH)));
      const there = rows.filter((row) => row !== undefined);
      yield* all(...there.map(({ tokenHash }) => remove(table, { tokenHash })));
      return there.length;
    },
  });
}

const purge = definePurge('sessions.purge', SESSIONS);
const purgeLinks = definePurge('sessions.purge_links', SIGN_IN_LINKS);

/** Stores sessions and sign-in links in a database. */
export function sessionStore(database: Database): SessionStore {
  return {
    offer: (...offered) => database.write(offer, offered),
    redeem: async ({ link, now, session, limits }, events) => {
      const offered = await database.read(findLink, link);
      if (offered === undefined || offered.endsAt <= now) return { kind: 'unknown' };
      const { account, actor, scope } = offered;
      const begun: Session = { ...session, account, actor, scope };
      const attributed = events.map((event) => ({ ...event, account, actor }));
      const outcome = await begin(database, { session: begun, limits, events: attributed, link });
      // As its keys and sessions are, the links of an account that is being erased are unknown.
      return isRefusal(outcome) ? { kind: 'unknown' } : { kind: 'redeemed', session: begun, ...outcome };
    },
    begin: (session, events, limits, credential) => begin(database, { session, limits, credential, events }),
    find: async (tokenHash, now, signal) => {
      const session = await database.read(findSession, tokenHash, signal);
      return session === undefined || session.endsAt <= now ? undefined : session;
    },
    list: (query) => database.read(list, query),
    end: async (tokenHash, events) => {
      const [place] = await database.read(findPlace, tokenHash);
      if (place !== undefined) await database.write(end, { place, events });
    },
    refuse: (...refused) => database.write(refuse, refused),
    purge: async (endedBy, limit) => {
      const sessions = await purge(database, endedBy, limit);
      return sessions + (await purgeLinks(database, endedBy, limit - sessions));
    },
  };
}
