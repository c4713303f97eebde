import type { ArchiveId } from '../domain/identity.ts';
import {
  type Comparison,
  ended,
  isSuspicious,
  MOST_IDS,
  NOT_COMPARED,
  turnOf,
  withWindow,
} from '../domain/reconciliation.ts';
import { type Fault, isFault, succeeds } from '../fault.ts';
import type { ArchiveStorage } from '../ports/archive-storage.ts';
import type { RoleStore } from '../ports/role-store.ts';
import { AT_ONCE, allOf } from './all-settled.ts';
import {
  type CleanUpReport,
  OUT_OF_TIME,
  removed,
  removedOf,
  type Step,
  type Steps,
} from './clean-up-report.ts';
import type { CleanUpRun } from './clean-up-run.ts';
import { compareWindow } from './reconcile-window.ts';

interface ComparedPorts {
  readonly roles: RoleStore;
  readonly archives: ArchiveStorage;
}

/** What came of comparing, for the rest of the sweep. */
export interface Compared {
  /** Whether no archive may be removed. */
  readonly isRefused: boolean;
  /** Archives that a record named and storage did not have. */
  readonly missing: readonly ArchiveId[];
  /** What kept the comparison from going on; the rest of the sweep needs no listing, and is done all the same. */
  readonly fault?: Fault;
}

/** Keeps how far a comparison has come; answers false once another sweep kept something since. */
type Keep = (comparison: Comparison) => Promise<boolean>;

/**
 * Compares storage with the records, once a day over all nodes, window by window from where the last sweep left it.
 * Windows only count: what no record names is removed behind the last one, if the totals can be true.
 */
export async function* compareArchives(ports: ComparedPorts, run: CleanUpRun): Steps<Compared> {
  const { roles } = ports;
  for (;;) {
    const loaded = await roles.loadComparison();
    const turn = turnOf(loaded?.value, run.now(), run);
    if (turn.kind === 'leave') {
      yield told(turn.found, turn.found.isUnderWay ? 'under_way' : 'not_due');
      return { isRefused: turn.found.isRefused, missing: [] };
    }
    let version = loaded?.version;
    const keep: Keep = async (comparison) => {
      const outcome = await roles.keepComparison({ ...comparison, keptAt: run.now() }, version);
      if (outcome.kind === 'kept') version = outcome.version;
      return outcome.kind === 'kept';
    };
    if (await keep(turn.from)) return yield* orFault(compare(ports, run, turn.from, keep), turn.from);
  }
}

/** Compares all of storage with the records, and keeps nothing of it. */
export async function* countArchives(ports: ComparedPorts, run: CleanUpRun): Steps<Compared> {
  const counted = yield* countWindows(ports, run, NOT_COMPARED, async () => true);
  if (counted === undefined) return { isRefused: false, missing: [] };
  const isRefused = isImplausible(counted, run);
  if (!isRefused) yield removed('orphans', counted.orphans.length);
  yield told({ ...counted, isRefused }, 'done');
  return { isRefused, missing: counted.missing };
}

async function* orFault(steps: Steps<Compared>, { isRefused }: Comparison): Steps<Compared> {
  try {
    return yield* steps;
  } catch (error) {
    if (!isFault(error)) throw error;
    return { isRefused, missing: [], fault: error };
  }
}

async function* compare(
  ports: ComparedPorts,
  run: CleanUpRun,
  from: Comparison,
  keep: Keep,
): Steps<Compared> {
  const counted = yield* countWindows(ports, run, from, keep);
  const isRefused = counted !== undefined && isImplausible(counted, run);
  const isDone = counted !== undefined && (isRefused || (yield* removeOrphans(ports, run, counted, keep)));
  if (!isDone || !(await keep(ended(counted, isRefused)))) return { isRefused: from.isRefused, missing: [] };
  yield told({ ...counted, isRefused }, 'done');
  return { isRefused, missing: counted.missing };
}

/** Counts window after window to the last one; `undefined` when the time is over before, or another sweep goes on. */
async function* countWindows(
  ports: ComparedPorts,
  run: CleanUpRun,
  from: Comparison,
  keep: Keep,
): Steps<Comparison | undefined> {
  for (let counted = from; ; ) {
    yield told(counted, 'under_way');
    if (!(await run.hasTimeLeft())) break;
    const window = await compareWindow(ports, {
      after: counted.upTo ?? undefined,
      createdBefore: run.abandonedBefore,
      missing: MOST_IDS - counted.missing.length,
      signal: run.signal,
    });
    if (window === undefined) return counted;
    counted = withWindow(counted, window);
    if (!(await keep(counted))) return undefined;
  }
  yield OUT_OF_TIME;
  return undefined;
}

/** Removes what no record names, asking once more for each; answers whether it came to the end. */
async function* removeOrphans(
  { roles, archives }: ComparedPorts,
  run: CleanUpRun,
  counted: Comparison,
  keep: Keep,
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
    if (!(await keep({ ...counted, orphans }))) return false;
  }
  return true;
}

function isImplausible(counted: Comparison, run: CleanUpRun): boolean {
  return !run.isForced && isSuspicious(counted);
}

/** A refusal that stands is told until a comparison passes. */
function told({ compared, unnamed, isRefused }: Comparison, listing: CleanUpReport['listing']): Step {
  return { kind: 'compared', compared, unnamed, listing: isRefused ? 'refused' : listing };
}
