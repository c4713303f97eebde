import { isErasedAccount } from '../domain/account.ts';
import type { RoleId } from '../domain/identity.ts';
import { after, before, CLOCK_TOLERANCE, duration, type Instant } from '../domain/instant.ts';
import { type AttemptWindow, checkAttempt, MAX_UNSETTLED } from '../domain/password.ts';
import type { Attempt, AttemptCounter, AttemptOutcome, AttemptTicket } from '../ports/attempt-counter.ts';
import { gt, lte, oneOf } from '../records/conditions.ts';
import type { Database } from '../records/database.ts';
import { all, together } from '../records/step.ts';
import { aggregate, find, get, insert, max, remove, unlocked, update, upsert } from '../records/steps.ts';
import {
  ATTEMPT_WINDOWS,
  ATTEMPTS,
  type AttemptRow,
  type AttemptWindowRow,
} from '../records/tables/account-tables.ts';
import { attemptsLock } from '../records/tables/locks.ts';
import { ROLES } from '../records/tables/role-tables.ts';
import { addProgram, addQuery, addRemoval } from './store-programs.ts';

/** The value of `counted` for all addresses together. Addresses are JSON there, which is never empty. */
const ALL = '';
/** The number of the window of all addresses, unless one of a wrong clock has it. Windows of addresses follow. */
const FIRST = 0;
const PLACE = ['role', 'number'] as const;
const ENDING = [...PLACE, 'endsAt'] as const;
const UNDER_WAY = ['counted', 'addressEndsAt', 'roleEndsAt'] as const;
const TICKET = ['ticket'] as const;
const OWNER = ['account'] as const;
const FORGIVEN = [...UNDER_WAY, ...TICKET] as const;

/**
 * Reads the windows of a try, even ended ones, and checks it by the open ones. Ignores windows that end too late: a node
 * with a clock days ahead opened them, and once its clock is right, they would lock viewers out for days.
 */
function* judge(attempt: Attempt) {
  const { role, now, window: length, perRole, perAddress } = attempt;
  const counted = countedUnder(attempt);
  const [windows, underWay] = yield* all(
    find(ATTEMPT_WINDOWS, { role, counted: oneOf([ALL, counted]) }),
    find(ATTEMPTS, { role, begunAt: gt(before(now, MAX_UNSETTLED)) }, { select: UNDER_WAY }),
  );
  const latestEnd = after(now, duration(length + CLOCK_TOLERANCE));
  const valid = windows
    .filter(({ endsAt }) => endsAt <= latestEnd)
    .sort((one, other) => other.endsAt - one.endsAt);
  const ofRole = valid.find((window) => window.counted === ALL);
  const ofAddress = valid.find((window) => window.counted === counted);
  const inRole = underWay.filter((other) => other.roleEndsAt === ofRole?.endsAt);
  const inAddress = underWay.filter(
    (other) => other.counted === counted && other.addressEndsAt === ofAddress?.endsAt,
  );
  const refusal = checkAttempt([
    ...tallyOf(ofRole, now, { underWay: inRole.length, limit: perRole }),
    ...tallyOf(ofAddress, now, { underWay: inAddress.length, limit: perAddress }),
  ]);
  // Whether a window of the role has the number FIRST already.
  const isFirstTaken = windows.some((window) => window.counted === ALL);
  return { ofRole, ofAddress, isFirstTaken, refusal };
}

const readAttempts = addQuery('attempts.judge', function* (attempt: Attempt) {
  return (yield* judge(attempt)).refusal;
});

const begin = addProgram('attempts.begin', {
  locks: ({ role }: Attempt) => ({ exclusive: [attemptsLock(role)] }),
  *run(attempt) {
    const { role, now } = attempt;
    const counted = countedUnder(attempt);
    const [{ ofRole, ofAddress, isFirstTaken, refusal }, lastNumber, lastWindow, owner] = yield* together(
      judge(attempt),
      max(ATTEMPTS, { role }, 'number'),
      max(ATTEMPT_WINDOWS, { role }, 'number'),
      // Unlocked: an erasure moves a role to its replacement under the lock of the role's tries.
      unlocked(get(ROLES, { id: role }, OWNER)),
    );
    if (refusal !== undefined) return refusal;
    // Stores no address: the role opens to nobody.
    if (owner !== undefined && isErasedAccount(owner.account))
      return { kind: 'begun', place: { role, number: 0, ticket: 0 } };
    // The window of the address may take the next number.
    const number = isFirstTaken ? lastWindow + 2 : FIRST;
    const inRole = countedIn(ofRole, attempt, { role, number, counted: ALL });
    const inAddress = countedIn(ofAddress, attempt, { role, number: lastWindow + 1, counted });
    const ends = { roleEndsAt: inRole.endsAt, addressEndsAt: inAddress.endsAt };
    const endsAt = Math.max(inRole.endsAt, inAddress.endsAt) as Instant;
    const place = { role, number: lastNumber + 1 };
    yield* all(
      upsert(ATTEMPT_WINDOWS, inRole),
      upsert(ATTEMPT_WINDOWS, inAddress),
      insert(ATTEMPTS, { ...place, counted, begunAt: now, endsAt, ...ends }),
    );
    const begun = yield* get(ATTEMPTS, place, TICKET);
    return { kind: 'begun', place: { ...place, ticket: begun?.ticket ?? 0 } };
  },
});

type AttemptPlace = Pick<AttemptRow, 'role' | 'number' | 'ticket'>;

const settle = addProgram('attempts.settle', {
  locks: ({ role }: AttemptPlace) => ({ exclusive: [attemptsLock(role)] }),
  *run({ role, number, ticket }) {
    const attempt = yield* get(ATTEMPTS, { role, number }, TICKET);
    if (attempt?.ticket === ticket) yield* remove(ATTEMPTS, { role, number });
  },
});

const forgive = addProgram('attempts.forgive', {
  locks: ({ role }: AttemptPlace) => ({ exclusive: [attemptsLock(role)] }),
  *run({ role, number, ticket }) {
    const attempt = yield* get(ATTEMPTS, { role, number }, FORGIVEN);
    if (attempt?.ticket !== ticket) return;
    const { counted, roleEndsAt, addressEndsAt } = attempt;
    const windows = yield* find(ATTEMPT_WINDOWS, { role, counted: oneOf([ALL, counted]) });
    const counting = windows.filter(
      (window) => window.endsAt === (window.counted === ALL ? roleEndsAt : addressEndsAt),
    );
    yield* all(
      remove(ATTEMPTS, { role, number }),
      ...counting.map((window) => {
        const key = { role, number: window.number };
        return window.tries > 1
          ? update(ATTEMPT_WINDOWS, key, { tries: window.tries - 1 })
          : remove(ATTEMPT_WINDOWS, key);
      }),
    );
  },
});

function definePurge(name: string, table: typeof ATTEMPT_WINDOWS | typeof ATTEMPTS) {
  return addRemoval(name, {
    find: (endedBy: Instant, limit) =>
      find(table, { endsAt: lte(endedBy) }, { order: ['endsAt'], limit, select: PLACE }),
    locks: ({ role }) => [attemptsLock(role)],
    *remove(places, endedBy) {
      const rows = yield* all(...places.map((place) => get(table, place, ENDING)));
      // A window may have been opened again since it was found.
      const ended = rows.filter((row) => row !== undefined).filter(({ endsAt }) => endsAt <= endedBy);
      yield* all(...ended.map(({ role, number }) => remove(table, { role, number })));
      return ended.length;
    },
  });
}

const purgeWindows = definePurge('attempts.purge_windows', ATTEMPT_WINDOWS);
const purge = definePurge('attempts.purge', ATTEMPTS);

const countEnded = addQuery('attempts.count_ended', function* (endedBy: Instant) {
  const [windows, attempts] = yield* all(
    aggregate(ATTEMPT_WINDOWS, { endsAt: lte(endedBy) }),
    aggregate(ATTEMPTS, { endsAt: lte(endedBy) }),
  );
  return windows.count + attempts.count;
});

export function attemptCounter(database: Database): AttemptCounter {
  return {
    begin: async (attempt): Promise<AttemptOutcome> => {
      // Reads first, so that a try that is refused takes no lock.
      const refusal = await database.read(readAttempts, attempt);
      if (refusal !== undefined) return refusal;
      const outcome = await database.write(begin, attempt);
      return outcome.kind === 'begun' ? { kind: 'admitted', ticket: ticketOf(outcome.place) } : outcome;
    },
    settle: (ticket) => database.write(settle, placeOf(ticket)),
    forgive: (ticket) => database.write(forgive, placeOf(ticket)),
    purge: async (endedBy, limit) => {
      // A sweep calls this batch after batch; other callers run in between.
      await database.pause();
      const windows = await purgeWindows(database, endedBy, limit);
      return windows + (await purge(database, endedBy, limit - windows));
    },
    countEnded: (endedBy) => database.read(countEnded, endedBy),
  };
}

/** Writes an address as JSON, because a database may refuse a null character or a lone surrogate. */
function countedUnder({ address }: Attempt): string {
  return JSON.stringify(address);
}

/** The counts of a window; none if it has ended. */
function tallyOf(
  window: AttemptWindowRow | undefined,
  now: Instant,
  counts: Pick<AttemptWindow, 'underWay' | 'limit'>,
): readonly AttemptWindow[] {
  return window !== undefined && window.endsAt > now ? [{ ...window, ...counts }] : [];
}

/** Adds a try to the open window, or opens a new one in its place. */
function countedIn(
  known: AttemptWindowRow | undefined,
  { now, window }: Attempt,
  added: Pick<AttemptWindowRow, 'role' | 'number' | 'counted'>,
): AttemptWindowRow {
  if (known !== undefined && known.endsAt > now) return { ...known, tries: known.tries + 1 };
  return { ...added, number: known?.number ?? added.number, endsAt: after(now, window), tries: 1 };
}

function ticketOf({ role, number, ticket }: AttemptPlace): AttemptTicket {
  return JSON.stringify([role, number, ticket]) as AttemptTicket;
}

function placeOf(text: AttemptTicket): AttemptPlace {
  const [role, number, ticket] = JSON.parse(text) as [RoleId, number, number];
  return { role, number, ticket };
}
