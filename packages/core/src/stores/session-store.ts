import { type Credential, UNAUTHORIZED } from '../domain/actor.ts';
import { refuseErasing } from '../domain/admission.ts';
import { type HistoryEvent, isSameActor } from '../domain/history.ts';
import type { Sha256 } from '../domain/identity.ts';
import { after, CLOCK_TOLERANCE, type Instant, isRecent } from '../domain/instant.ts';
import { LINK_LIFETIME, type Session, type SessionLimits } from '../domain/session.ts';
import type { BegunSession, SessionQuery, SessionStore } from '../ports/session-store.ts';
import { gt, lte } from '../records/conditions.ts';
import type { Database } from '../records/database.ts';
import { all, nothing, type Steps, together } from '../records/step.ts';
import { find, get, getWith, insert, remove, upsert } from '../records/steps.ts';
import { ACCOUNTS, SESSION_REFUSALS, SESSIONS, SIGN_IN_LINKS } from '../records/tables/account-tables.ts';
import { accountLock, credentialLock } from '../records/tables/locks.ts';
import { EVENTS } from '../records/tables/service-tables.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { BLOCKED, checkCredential, credentialLocks, getCredential, insertAccount } from './checks.ts';
import { eventLocks, feedEnds, insertEvents } from './events.ts';
import { addChange, addChangeQuery, addQuery, addRemoval, ROW_LOCKS } from './store-programs.ts';

const HASH = ['tokenHash'] as const;
const COMPARED = ['tokenHash', 'actor'] as const;

/** The members of a session or a link that its locks depend on. */
type SessionPlace = Pick<Session, 'tokenHash' | 'account'>;

interface SessionStart {
  readonly session: Session;
  readonly limits?: SessionLimits | undefined;
  readonly events: readonly HistoryEvent[];
  /** The link that begins it, if there is one. */
  readonly link?: Sha256;
  /** The key that begins it, if any. */
  readonly credential?: Credential | undefined;
}

/** The exclusive locks to change a session or a link. */
function sessionLocks({ tokenHash, account }: SessionPlace): readonly string[] {
  return [accountLock(account), credentialLock(tokenHash)];
}

interface LockedStart extends SessionStart {
  /** The sessions that it may end, since it holds their locks. */
  readonly locked: readonly Sha256[];
}

/** Begins a session. If that would end sessions that are not locked, it changes nothing and returns them. */
const beginSession = addChange('sessions.begin', {
  locks: ({ session, events, link, credential, locked }: LockedStart) => {
    const others = link === undefined ? locked : [...locked, link];
    return {
      exclusive: [...sessionLocks(session), ...eventLocks(events), ...others.map(credentialLock)],
      shared: credentialLocks(credential),
    };
  },
  *run({ session, limits, events, link, credential = {}, locked }) {
    const [offered, excess, account, caller, ends] = yield* together(
      link === undefined ? nothing : get(SIGN_IN_LINKS, { tokenHash: link }, HASH),
      findExcess(session, limits),
      get(ACCOUNTS, { name: session.account }, BLOCKED),
      getCredential(credential),
      feedEnds(events),
    );
    if (link !== undefined && offered === undefined) return UNAUTHORIZED;
    const refusal = checkCredential(credential, caller, { name: session.account, account });
    if (refusal !== undefined) return refusal;
    if (account?.blocked?.isErasing === true) return refuseErasing(account.blocked);
    if (!excess.every((tokenHash) => locked.includes(tokenHash))) return { kind: 'excess', excess };
    yield* all(
      ...excess.map((tokenHash) => remove(SESSIONS, { tokenHash })),
      link === undefined ? nothing : remove(SIGN_IN_LINKS, { tokenHash: link }),
      insert(SESSIONS, session),
      insertAccount(session.account, account),
      ...insertEvents(events, ends),
    );
    return { kind: 'begun', ended: excess.length };
  },
});

/** Ends some of the sessions beyond the limits for a new one. */
const endExcess = addChange('sessions.end_excess', {
  locks: ({ session: { account }, locked }: Pick<LockedStart, 'session' | 'limits' | 'locked'>) => ({
    exclusive: [accountLock(account), ...locked.map(credentialLock)],
  }),
  *run({ session, limits, locked }) {
    const excess = yield* findExcess(session, limits);
    const ended = excess.filter((tokenHash) => locked.includes(tokenHash));
    yield* all(...ended.map((tokenHash) => remove(SESSIONS, { tokenHash })));
    return ended.length;
  },
});

/** Begins a session within the limits. Refuses if its account is being erased, or the key or link that begins it is invalid. */
async function begin(
  database: Database,
  start: SessionStart,
): Promise<BegunSession | Refusal<'account_blocked' | 'unauthorized'>> {
  let locked: readonly Sha256[] = [];
  let endedBefore = 0;
  for (;;) {
    const outcome = await database.write(beginSession, { ...start, locked });
    if (outcome.kind === 'begun') return { ended: endedBefore + outcome.ended };
    if (outcome.kind !== 'excess') return outcome;
    locked = outcome.excess.slice(0, ROW_LOCKS);
    // After limits were lowered, there may be more sessions to end than one program has locks.
    if (outcome.excess.length > locked.length) {
      endedBefore += await database.write(endExcess, { ...start, locked });
    }
  }
}

/** Finds the oldest sessions beyond the limits for a new one: first those of its actor, then those of its account. */
function* findExcess(
  { account, startedAt, tokenHash, actor }: Session,
  limits: SessionLimits | undefined,
): Steps<readonly Sha256[], 'read'> {
  if (limits === undefined) return [];
  const newestFirst = yield* find(
    SESSIONS,
    { account, endsAt: gt(startedAt) },
    { order: ['startedAt', 'tokenHash'], descending: true, select: COMPARED },
  );
  const others = newestFirst.filter((session) => session.tokenHash !== tokenHash);
  const ofActor = others.filter((session) => isSameActor(session.actor, actor));
  const pastActor = ofActor.slice(limits.ofActor - 1);
  const remaining = others.filter((session) => !pastActor.includes(session));
  const pastAccount = remaining.slice(limits.ofAccount - 1);
  return [...pastActor, ...pastAccount].map((session) => session.tokenHash);
}

const PLACE = [...HASH, 'account'] as const;
const RECORDED = ['recordedAt'] as const;
const ID = ['id'] as const;
const NAME = ['name'] as const;

const OF_OWNER = { account: ['blocked'] } as const;

const offer = addChange('sessions.offer', {
  locks: ([link, events]: Parameters<SessionStore['offer']>) => {
    return { exclusive: [...sessionLocks(link), ...eventLocks(events)] };
  },
  *run([link, events]) {
    const ends = yield* feedEnds(events);
    yield* all(insert(SIGN_IN_LINKS, link), ...insertEvents(events, ends));
  },
});

const findLink = addChangeQuery('sessions.find_link', (tokenHash: Sha256) =>
  get(SIGN_IN_LINKS, { tokenHash }),
);

/** Finds a session, unless its account is being erased. */
const findSession = addQuery('sessions.find', function* (tokenHash: Sha256) {
  const found = yield* getWith(SESSIONS, { tokenHash }, OF_OWNER);
  return found?.references.account?.blocked?.isErasing === true ? undefined : found?.row;
});

const list = addQuery('sessions.list', ({ account, now, after: last, limit }: SessionQuery) => {
  const after = last === undefined ? undefined : { tokenHash: last as Sha256 };
  return find(SESSIONS, { account, endsAt: gt(now) }, { order: ['tokenHash'], after, limit });
});

/** Finds the account of a session to end, for its locks. It never changes. */
const findPlace = addChangeQuery('sessions.find_place', (tokenHash: Sha256) =>
  find(SESSIONS, { tokenHash }, { select: PLACE }),
);

const end = addChange('sessions.end', {
  locks: ([place, events]: readonly [SessionPlace, readonly HistoryEvent[]]) => ({
    exclusive: [...sessionLocks(place), ...eventLocks(events)],
  }),
  usesReserve: () => true,
  *run([{ tokenHash }, events]) {
    const [session, ends] = yield* together(get(SESSIONS, { tokenHash }, HASH), feedEnds(events));
    if (session === undefined) return;
    yield* all(remove(SESSIONS, { tokenHash }), ...insertEvents(events, ends));
  },
});

const refuse = addChange('sessions.refuse', {
  locks: ([{ account }]: Parameters<SessionStore['refuse']>) => ({ exclusive: [accountLock(account)] }),
  *run([event, unlessSince]) {
    const { account, type, at } = event;
    const [known, owner, ends] = yield* together(
      get(SESSION_REFUSALS, { account }, RECORDED),
      get(ACCOUNTS, { name: account }, NAME),
      feedEnds([event]),
    );
    // The account may have been erased since; nothing of it may be stored.
    if (owner === undefined || (known !== undefined && isRecent(known.recordedAt, unlessSince, at))) return;
    // Two nodes, one with a wrong clock, replace each other's row: if only it counted, they would record every refusal.
    const recent = [gt(unlessSince), lte(after(at, CLOCK_TOLERANCE))];
    const [alike] = yield* find(EVENTS, { account, type, at: recent }, { limit: 1, select: ID });
    if (alike !== undefined) return;
    yield* all(upsert(SESSION_REFUSALS, { account, recordedAt: at }), ...insertEvents([event], ends));
  },
});

/** Removes rows that have ended. Unlike others, these are not checked again: no session or link begins again. */
function definePurge(name: string, table: typeof SESSIONS | typeof SIGN_IN_LINKS) {
  return addRemoval(name, {
    find: (endedBy: Instant, limit) =>
      find(table, { endsAt: lte(endedBy) }, { order: ['endsAt'], limit, select: PLACE }),
    locks: sessionLocks,
    *remove(places) {
      const rows = yield* all(...places.map(({ tokenHash }) => get(table, { tokenHash }, HASH)));
      const existing = rows.filter((row) => row !== undefined);
      yield* all(...existing.map(({ tokenHash }) => remove(table, { tokenHash })));
      return existing.length;
    },
  });
}

const purge = definePurge('sessions.purge', SESSIONS);
const purgeLinks = definePurge('sessions.purge_links', SIGN_IN_LINKS);

export function sessionStore(database: Database): SessionStore {
  return {
    offer: (...offered) => database.write(offer, offered),
    redeem: async ({ link, now, session, limits }, events) => {
      const offered = await database.read(findLink, link);
      const latestEnd = after(after(now, LINK_LIFETIME), CLOCK_TOLERANCE);
      if (offered === undefined || offered.endsAt <= now || offered.endsAt > latestEnd)
        return { kind: 'unknown' };
      const { account, actor, scope } = offered;
      const begun: Session = { ...session, account, actor, scope };
      const attributed = events.map((event) => ({ ...event, account, actor }));
      const outcome = await begin(database, { session: begun, limits, events: attributed, link });
      // A link of an account that is being erased is unknown, like its keys and sessions.
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
      if (place !== undefined) await database.write(end, [place, events]);
    },
    refuse: (...refused) => database.write(refuse, refused),
    purge: async (endedBy, limit) => {
      const sessions = await purge(database, endedBy, limit);
      return sessions + (await purgeLinks(database, endedBy, limit - sessions));
    },
  };
}
