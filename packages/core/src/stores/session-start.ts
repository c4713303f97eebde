import { type Credential, UNAUTHORIZED } from '../domain/actor.ts';
import { refuseErasing } from '../domain/admission.ts';
import { type HistoryEvent, isSameActor } from '../domain/history.ts';
import type { Session, SessionLimits } from '../domain/session.ts';
import type { Sha256 } from '../domain/sha256.ts';
import type { BegunSession } from '../ports/session-store.ts';
import { gt } from '../records/conditions.ts';
import type { Database } from '../records/database.ts';
import { all, nothing, together } from '../records/joining.ts';
import type { Steps } from '../records/step.ts';
import { find, get, insert, remove } from '../records/steps.ts';
import { ACCOUNTS, SESSIONS, SIGN_IN_LINKS } from '../records/tables/account-tables.ts';
import { accountLock, credentialLock } from '../records/tables/locks.ts';
import type { Refusal } from '../refusal.ts';
import { BLOCKED, credentialLocks, getCredential, insertAccount, refuseCredential } from './checks.ts';
import { eventLocks, feedEnds, insertEvents } from './events.ts';
import { ROW_LOCKS } from './locking.ts';
import { StorePrograms } from './store-programs.ts';

/** The programs that begin sessions. */
export const SESSION_START_PROGRAMS: StorePrograms = new StorePrograms();

const OFFERED = ['tokenHash'] as const;
const COMPARED = ['tokenHash', 'actor'] as const;

/** A session or a link by what its locks follow from. */
export type SessionPlace = Pick<Session, 'tokenHash' | 'account'>;

/** A session to begin. */
interface SessionStart {
  readonly session: Session;
  readonly limits?: SessionLimits | undefined;
  readonly events: readonly HistoryEvent[];
  /** The link that begins it, if there is one. */
  readonly link?: Sha256;
  /** The key that begins it, if one does. */
  readonly credential?: Credential | undefined;
}

/** The locks that are held exclusively to change a session or a link. */
export function sessionLocks({ tokenHash, account }: SessionPlace): readonly string[] {
  return [accountLock(account), credentialLock(tokenHash)];
}

interface LockedStart extends SessionStart {
  /** The sessions that the program may end. */
  readonly locked: readonly Sha256[];
}

/** Begins a session, unless it would end others than it may: these it results in. */
const beginSession = SESSION_START_PROGRAMS.change('sessions.begin', {
  locks: ({ session, events, link, credential, locked }: LockedStart) => {
    const others = link === undefined ? locked : [...locked, link];
    return {
      exclusive: [...sessionLocks(session), ...eventLocks(events), ...others.map(credentialLock)],
      shared: credentialLocks(credential),
    };
  },
  *run({ session, limits, events, link, credential = {}, locked }) {
    const [offered, excess, account, caller, ends] = yield* together(
      link === undefined ? nothing : get(SIGN_IN_LINKS, { tokenHash: link }, OFFERED),
      findExcess(session, limits),
      get(ACCOUNTS, { name: session.account }, BLOCKED),
      getCredential(credential),
      feedEnds(events),
    );
    if (link !== undefined && offered === undefined) return UNAUTHORIZED;
    const refusal = refuseCredential(credential, caller, { name: session.account, account });
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

type ExcessEnding = Pick<LockedStart, 'session' | 'limits' | 'locked'>;

/** Ends some of the sessions that a further one would push past the limits. */
const endExcess = SESSION_START_PROGRAMS.change('sessions.end_excess', {
  locks: ({ session: { account }, locked }: ExcessEnding) => ({
    exclusive: [accountLock(account), ...locked.map(credentialLock)],
  }),
  *run({ session, limits, locked }) {
    const excess = yield* findExcess(session, limits);
    const ended = excess.filter((tokenHash) => locked.includes(tokenHash));
    yield* all(...ended.map((tokenHash) => remove(SESSIONS, { tokenHash })));
    return ended.length;
  },
});

/** Begins a session within the limits, unless its account is being erased, or the key or link that begins it is gone. */
export async function begin(
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
    // Limits that became lower leave more than the locks of one program.
    if (outcome.excess.length > locked.length) {
      endedBefore += await database.write(endExcess, { ...start, locked });
    }
  }
}

/** The oldest sessions that a further one would push past the limits: those of its actor first. */
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
  const left = others.filter((session) => !pastActor.includes(session));
  const pastAccount = left.slice(limits.ofAccount - 1);
  return [...pastActor, ...pastAccount].map((session) => session.tokenHash);
}
