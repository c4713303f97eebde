import { type ArchiveId, archiveCreatedAt, type RoleId } from '../domain/identity.ts';
import {
  type ComparedWindow,
  type Comparison,
  decideTurn,
  finishComparison,
  isSameProgress,
  isSuspicious,
  MAX_IDS,
  NOT_COMPARED,
  withWindow,
} from '../domain/reconciliation.ts';
import { stateOf } from '../domain/role.ts';
import { type Fault, isFault, succeeds } from '../fault.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { RoleQuery, RoleStore, Versioned } from '../ports/role-store.ts';
import {
  type CleanUpReport,
  type CleanUpRun,
  OUT_OF_TIME,
  removedOf,
  type Step,
  type Steps,
} from './clean-up-run.ts';
import { AT_ONCE, allOf } from './removal.ts';

type ComparedPorts = Pick<AllPorts, 'roles' | 'archives'>;

export interface Compared {
  /** Whether no archive may be removed. */
  readonly isRefused: boolean;
  readonly missing?: readonly ArchiveId[];
  /** Why the comparison ended early. The rest of the sweep needs no listing and still runs. */
  readonly fault?: Fault;
}

/** Stores the progress of a comparison; false if another sweep has stored its own. */
type Save = (comparison: Comparison) => Promise<boolean>;

/** The maximum number of ids of one window, on each side. */
const PAGE = 1_000;

/**
 * Compares storage with the records once a day over all nodes, window by window from where the last sweep stopped.
 * Archives without a record are counted first and removed after the last window, if their number is plausible.
 */
export async function* compareArchives(ports: ComparedPorts, run: CleanUpRun): Steps<Compared> {
  const { roles } = ports;
  for (;;) {
    const loaded = await roles.loadComparison();
    const turn = decideTurn(loaded?.value, run.now(), run);
    if (turn.kind === 'leave') {
      yield progress(turn.found, turn.found.isUnderWay ? 'under_way' : 'not_due');
      return { isRefused: turn.found.isRefused };
    }
    const save = saverAfter(roles, loaded, run);
    if (await save(turn.from)) return yield* catchFault(compare(ports, run, turn.from, save), turn.from);
  }
}

/** Makes a function that saves after the loaded progress. Tries again if another sweep has only moved the clock of removal. */
function saverAfter(
  roles: ComparedPorts['roles'],
  loaded: Versioned<Comparison> | undefined,
  run: CleanUpRun,
): Save {
  let last = loaded;
  return async (comparison) => {
    const savedAt = run.now();
    for (;;) {
      const value = { ...comparison, savedAt, removal: last?.value.removal };
      const outcome = await roles.saveComparison(value, last?.version);
      if (outcome.kind === 'saved') {
        last = { value, version: outcome.version };
        return true;
      }
      const found = await roles.loadComparison();
      if (found === undefined || !isSameProgress(found.value, last?.value)) return false;
      last = found;
    }
  };
}

/** Compares all of storage with the records, and changes nothing. */
export async function* countArchives(ports: ComparedPorts, run: CleanUpRun): Steps<Compared> {
  const counted = yield* countWindows(ports, run, NOT_COMPARED, async () => true);
  if (counted === undefined) return { isRefused: false };
  const isRefused = isImplausible(counted, run);
  if (!isRefused) yield { orphans: counted.orphans.length };
  yield progress({ ...counted, isRefused }, 'done');
  return { isRefused, missing: counted.missing };
}

async function* catchFault(steps: Steps<Compared>, { isRefused }: Comparison): Steps<Compared> {
  try {
    return yield* steps;
  } catch (error) {
    if (!isFault(error)) throw error;
    return { isRefused, fault: error };
  }
}

async function* compare(
  ports: ComparedPorts,
  run: CleanUpRun,
  from: Comparison,
  save: Save,
): Steps<Compared> {
  const counted = yield* countWindows(ports, run, from, save);
  const isRefused = counted !== undefined && isImplausible(counted, run);
  const isDone = counted !== undefined && (isRefused || (yield* removeOrphans(ports, run, counted, save)));
  if (!isDone || !(await save(finishComparison(counted, isRefused)))) return { isRefused: from.isRefused };
  yield progress({ ...counted, isRefused }, 'done');
  return { isRefused, missing: counted.missing };
}

/** Counts all windows; `undefined` if time runs out or another sweep takes over. */
async function* countWindows(
  ports: ComparedPorts,
  run: CleanUpRun,
  from: Comparison,
  save: Save,
): Steps<Comparison | undefined> {
  for (let counted = from; ; ) {
    yield progress(counted, 'under_way');
    if (!(await run.hasTimeLeft())) break;
    const window = await compareWindow(ports, run, counted);
    if (window === undefined) return counted;
    counted = withWindow(counted, window);
    if (!(await save(counted))) return undefined;
  }
  yield OUT_OF_TIME;
  return undefined;
}

/**
 * Compares the next window of ids, which ends where the shorter of the two lists ends. Lists storage before the records, so
 * that an archive committed in between is not an orphan. `undefined` when no old archives are left.
 */
async function compareWindow(
  ports: ComparedPorts,
  { abandonedBefore, signal }: CleanUpRun,
  counted: Comparison,
): Promise<ComparedWindow | undefined> {
  const after = counted.upTo ?? undefined;
  // A younger archive may be of a publication that is not committed yet. Ids sort by their instants.
  const isOld = (id: ArchiveId): boolean => archiveCreatedAt(id) < abandonedBefore;
  const listed = (await ports.archives.list(after, PAGE, signal)).filter(isOld);
  const recorded = (await ports.roles.listArchives(after, PAGE)).filter(isOld);
  const upTo = nearer(listed.at(-1), recorded.at(-1));
  if (upTo === undefined) return undefined;
  const stored = new Set(listed.filter((id) => id <= upTo));
  const named = new Set(recorded.filter((id) => id <= upTo));
  const absent = [...named].filter((id) => !stored.has(id)).slice(0, MAX_IDS - counted.missing.length);
  return {
    upTo,
    compared: stored.size,
    orphans: [...stored].filter((id) => !named.has(id)),
    missing: await stillMissing(ports, absent, signal),
  };
}

/** Removes archives that still have no record; true when none is left. */
async function* removeOrphans(
  { roles, archives }: ComparedPorts,
  run: CleanUpRun,
  counted: Comparison,
  save: Save,
): Steps<boolean> {
  for (let orphans = counted.orphans; orphans.length > 0; ) {
    if (!(await run.hasTimeLeft())) {
      yield OUT_OF_TIME;
      return false;
    }
    const batch = orphans.slice(0, AT_ONCE);
    const named = await roles.whichAreNamed(batch);
    const unnamed = batch.filter((id) => !named.has(id));
    yield removedOf('orphans', await allOf(unnamed, (id) => succeeds(archives.delete(id, run.signal))));
    orphans = orphans.slice(AT_ONCE);
    if (!(await save({ ...counted, orphans }))) return false;
  }
  return true;
}

function isImplausible(counted: Comparison, run: CleanUpRun): boolean {
  return !run.isForced && isSuspicious(counted);
}

/** A refusal is reported until a comparison passes. */
function progress({ compared, unnamed, isRefused }: Comparison, listing: CleanUpReport['listing']): Step {
  return { compared, unnamed, listing: isRefused ? 'refused' : listing };
}

/** The lower id; a side without one has no more archives. */
function nearer(one: ArchiveId | undefined, other: ArchiveId | undefined): ArchiveId | undefined {
  return one === undefined || (other ?? one) < one ? other : one;
}

/** Checks again: a cleanup on another node removes an archive first, and its record a moment later. */
async function stillMissing(
  { roles, archives }: ComparedPorts,
  suspects: readonly ArchiveId[],
  signal: AbortSignal | undefined,
): Promise<readonly ArchiveId[]> {
  const found = await allOf(suspects, (id) => archives.read(id, 0, 1, signal));
  const missing = suspects.filter((_, n) => found[n] === undefined);
  const named = await roles.whichAreNamed(missing);
  return missing.filter((id) => named.has(id));
}

const IN_SERVICE = {
  account: undefined,
  state: 'published',
  search: undefined,
  order: undefined,
  idempotencyKey: undefined,
  limit: 100,
} as const satisfies Partial<RoleQuery>;

/** Finds publications in service whose archive has no record or is missing, while time is left. */
export async function rolesWithoutArchive(
  roles: RoleStore,
  missing: ReadonlySet<ArchiveId>,
  run: CleanUpRun,
): Promise<readonly RoleId[]> {
  const found: RoleId[] = [];
  let after: RoleQuery['after'];
  while (found.length < MAX_IDS && (await run.hasTimeLeft())) {
    const { items, next } = await roles.list({ ...IN_SERVICE, now: run.now(), after });
    const named = await roles.whichAreNamed(items.map(({ archive }) => archive));
    for (const { id, archive } of items) {
      if (named.has(archive) && !missing.has(archive)) continue;
      // The role may have been stopped, and its archive removed, since the page was read.
      const newest = (await roles.load(id))?.value;
      if (newest !== undefined && stateOf(newest, run.now()) === 'published') found.push(id);
    }
    if (next === undefined) break;
    after = next;
  }
  return found.slice(0, MAX_IDS);
}
