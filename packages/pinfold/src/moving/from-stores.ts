import type { ArchiveId, ArchiveStorage, Clock, RoleStore } from '@pinfold/core';
import { recordLine } from '@pinfold/core/internal';
import type { MovedRecord, Snapshot } from '@pinfold/core/moving';
import { recordsFileOf } from './export-form.ts';
import { type Destination, type Moved, move, type Step } from './move.ts';
import type { Progress } from './progress.ts';
import {
  archiveIn,
  isInService,
  lacksArchive,
  type NamedArchive,
  prefetch,
  removedIn,
  storedArchives,
  wholeArchive,
} from './whole-archive.ts';

/** From this length on a file of records is ended: one is held in memory as a whole. */
const FULL = 4_194_304;

export interface ExportedStores {
  readonly snapshot: Snapshot;
  readonly roles: Pick<RoleStore, 'load' | 'whichAreNamed'>;
  readonly archives: ArchiveStorage;
  readonly clock: Pick<Clock, 'now'>;
}

export function moveFromStores(stores: ExportedStores, to: Destination, progress: Progress): Promise<Moved> {
  return move(stepsFrom(stores, to), to, progress);
}

async function* stepsFrom(stores: ExportedStores, to: Destination): AsyncGenerator<Step, void> {
  const named: NamedArchive[] = [];
  const removed: NamedArchive[] = [];
  let gathered: string[] = [];
  let [length, files] = [0, 0];
  for await (const record of stores.snapshot.records()) {
    const archive = archiveIn(record);
    if (archive !== undefined) named.push(archive);
    const gone = removedIn(record, stores.clock.now());
    if (gone !== undefined) removed.push(gone);
    const line = recordLine(record);
    gathered.push(line);
    length += line.length;
    if (length < FULL) continue;
    yield recordsOf(++files, gathered);
    [gathered, length] = [[], 0];
  }
  if (length > 0) yield recordsOf(++files, gathered);
  yield { kind: 'expected', archives: named.length };
  for (const each of removed) {
    if (await lacksArchive(stores.roles, each, stores.clock.now())) yield lostOf(each);
  }
  const removals: string[] = [];
  named.sort((one, other) => (one.archive < other.archive ? -1 : 1));
  const isStored = lookupInOrder(stores.archives);
  const steps = prefetch(named, (archive) => fetch(stores, to, archive, isStored));
  for await (const step of flattened(steps)) {
    if (step.kind === 'removal') removals.push(recordLine(step));
    else yield step;
  }
  if (removals.length > 0) yield recordsOf(++files, removals);
}

async function* flattened<Item>(lists: AsyncIterable<readonly Item[]>): AsyncGenerator<Item, void> {
  for await (const list of lists) yield* list;
}

/** Looks up archives that are asked for in order of id, along a list that is not held: one request for a thousand of them. */
function lookupInOrder(archives: ArchiveStorage): (id: ArchiveId) => Promise<boolean> {
  const stored = storedArchives(archives);
  let at: ArchiveId | undefined;
  let isOver = false;
  const isThere = async (id: ArchiveId): Promise<boolean> => {
    while (!isOver && (at === undefined || at < id)) {
      const { done = false, value } = await stored.next();
      [at, isOver] = [value ?? undefined, done];
    }
    return at === id;
  };
  let last: Promise<unknown> = Promise.resolve();
  return (id) => {
    const answer = last.then(() => isThere(id));
    last = answer;
    return answer;
  };
}

function lostOf({ archive, pin }: NamedArchive): Step {
  return { kind: 'lost', archive, pin };
}

function recordsOf(n: number, records: readonly string[]): Step {
  const lines = Buffer.from(`${records.join('\n')}\n`);
  return { kind: 'records', lines, file: recordsFileOf(n, lines) };
}

type Removal = Extract<MovedRecord, { readonly kind: 'removal' }>;

async function fetch(
  stores: ExportedStores,
  to: Destination,
  named: NamedArchive,
  isStored: (id: ArchiveId) => Promise<boolean>,
): Promise<readonly (Step | Removal)[]> {
  const { archive: id, pin, sha256 } = named;
  if (to.has(id)) {
    const isLost = !(await isStored(id)) && (await isStillLost(stores, named));
    return [{ kind: 'archive', id, whole: undefined }, ...(isLost ? [lostOf(named)] : [])];
  }
  const whole = await wholeArchive(stores.archives, id);
  if (whole !== undefined) {
    const isAltered = whole.sha256 !== sha256;
    return [isAltered ? { kind: 'broken', ids: [id] } : { kind: 'archive', id, whole }];
  }
  const newest = (await stores.roles.load(pin))?.value;
  const lost = isInService(newest, stores.clock.now()) ? [lostOf(named)] : [];
  if ((await stores.roles.whichAreNamed([id])).has(id)) return [{ kind: 'broken', ids: [id] }, ...lost];
  // It was removed while others were read: the record says how its role stands since.
  const { expiresAt = null, deletedAt = null } = newest ?? {};
  return [{ kind: 'removal', value: { id: pin, archive: id, expiresAt, deletedAt } }, ...lost];
}

/** Asks again: a sweep may have removed it, and its role may have ended, since the snapshot. */
async function isStillLost(
  { roles, archives, clock }: ExportedStores,
  { archive, pin }: NamedArchive,
): Promise<boolean> {
  const isThere = (await archives.size(archive)) !== undefined;
  return !isThere && isInService((await roles.load(pin))?.value, clock.now());
}
