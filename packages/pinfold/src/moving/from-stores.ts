import type { ArchiveStorage, RoleStore } from '@pinfold/core';
import { recordLine } from '@pinfold/core/internal';
import type { MovedRecord, Snapshot } from '@pinfold/core/moving';
import { recordsFileOf } from './export-form.ts';
import { type Destination, type Moved, move, type Step } from './move.ts';
import type { Progress } from './progress.ts';
import { archiveIn, type NamedArchive, prefetch, wholeArchive } from './whole-archive.ts';

/** From this length on a file of records is ended: one is held in memory as a whole. */
const FULL = 4_194_304;

export interface ExportedStores {
  readonly snapshot: Snapshot;
  readonly roles: Pick<RoleStore, 'load' | 'whichAreNamed'>;
  readonly archives: ArchiveStorage;
}

export function moveFromStores(stores: ExportedStores, to: Destination, progress: Progress): Promise<Moved> {
  return move(stepsFrom(stores, to), to, progress);
}

async function* stepsFrom(stores: ExportedStores, to: Destination): AsyncGenerator<Step, void> {
  const named: NamedArchive[] = [];
  let gathered: string[] = [];
  let [length, files] = [0, 0];
  for await (const record of stores.snapshot.records()) {
    const archive = archiveIn(record);
    if (archive !== undefined) named.push(archive);
    const line = recordLine(record);
    gathered.push(line);
    length += line.length;
    if (length < FULL) continue;
    yield recordsOf(++files, gathered);
    [gathered, length] = [[], 0];
  }
  if (length > 0) yield recordsOf(++files, gathered);
  yield { kind: 'expected', archives: named.length };
  const removals: string[] = [];
  named.sort((one, other) => (one.archive < other.archive ? -1 : 1));
  for await (const fetched of prefetch(named, (archive) => fetch(stores, to, archive))) {
    if (fetched.kind === 'removal') removals.push(recordLine(fetched));
    else yield fetched;
  }
  if (removals.length > 0) yield recordsOf(++files, removals);
}

function recordsOf(n: number, records: readonly string[]): Step {
  const lines = Buffer.from(`${records.join('\n')}\n`);
  return { kind: 'records', lines, file: recordsFileOf(n, lines) };
}

type Removal = Extract<MovedRecord, { readonly kind: 'removal' }>;

async function fetch(
  { archives, roles }: ExportedStores,
  to: Destination,
  { archive: id, pin, sha256 }: NamedArchive,
): Promise<Step | Removal> {
  if (to.has(id)) return { kind: 'archive', id, whole: undefined };
  const whole = await wholeArchive(archives, id);
  if (whole !== undefined) {
    const isAltered = sha256 !== '' && whole.sha256 !== sha256;
    return isAltered ? { kind: 'broken', ids: [id] } : { kind: 'archive', id, whole };
  }
  if ((await roles.whichAreNamed([id])).has(id)) return { kind: 'broken', ids: [id] };
  // It was removed while others were read: the record says how its role stands since.
  const { expiresAt = null, deletedAt = null } = (await roles.load(pin))?.value ?? {};
  return { kind: 'removal', value: { id: pin, archive: id, expiresAt, deletedAt } };
}
