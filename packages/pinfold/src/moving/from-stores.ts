import type { ArchiveId, ArchiveStorage, RoleId, RoleStore, Sha256 } from '@pinfold/core';
import type { MovedRecord, Snapshot } from '@pinfold/core/moving';
import type { Destination, MovingArchive } from './export-form.ts';
import { prefetch } from './prefetch.ts';
import type { Progress } from './progress.ts';
import { RecordWriter } from './records-file.ts';
import { wholeArchive } from './whole-archive.ts';

/** Archives read at the same time: each is in memory as a whole. */
const AT_ONCE = 4;

/** What an export is made of. */
export interface ExportedStores {
  readonly snapshot: Snapshot;
  readonly roles: Pick<RoleStore, 'load' | 'whichAreNamed'>;
  readonly archives: ArchiveStorage;
}

/** An archive of a record, and what it must be. */
interface Named {
  readonly id: ArchiveId;
  readonly role: RoleId;
  /** Empty for roles of early releases. */
  readonly sha256: Sha256;
}

/** What became of an archive. */
type Fetched =
  | { readonly kind: 'there'; readonly archive: ArchiveId }
  | { readonly kind: 'read'; readonly archive: MovingArchive }
  | { readonly kind: 'broken'; readonly archive: ArchiveId }
  | { readonly kind: 'removed'; readonly record: MovedRecord };

/** The counts of a move. */
export interface Moved {
  readonly records: number;
  /** Archives that belong to it. */
  readonly archives: number;
  /** Those of them that were not there before. */
  readonly copied: number;
  /** Archives that are missing or altered where they come from. */
  readonly broken: readonly ArchiveId[];
}

/** Brings all records of one instant, and their archives, to a destination, while the service runs. */
export async function moveFromStores(
  stores: ExportedStores,
  to: Destination,
  progress: Progress,
): Promise<Moved> {
  await to.begin();
  const records = new RecordWriter(to);
  const named = await moveRecords(stores, records, progress);
  progress.expect(named.length);
  const broken: ArchiveId[] = [];
  const archives: ArchiveId[] = [];
  let copied = 0;
  for await (const fetched of prefetch(named, AT_ONCE, (archive) => fetch(stores, to, archive))) {
    if (fetched.kind === 'broken') {
      broken.push(fetched.archive);
    } else if (fetched.kind === 'removed') {
      await records.add(fetched.record);
    } else if (fetched.kind === 'there') {
      archives.push(fetched.archive);
      progress.archive(0);
    } else {
      await to.archive(fetched.archive);
      archives.push(fetched.archive.id);
      copied += 1;
      progress.archive(fetched.archive.bytes);
    }
  }
  await records.end();
  await to.end({ archives, broken });
  return { records: records.count, archives: archives.length, copied, broken };
}

async function moveRecords(
  { snapshot }: ExportedStores,
  records: RecordWriter,
  progress: Progress,
): Promise<readonly Named[]> {
  const named: Named[] = [];
  for await (const record of snapshot.records()) {
    if (record.kind === 'publication' && record.value.manifest !== null) {
      const { id: role, archive: id, sha256 } = record.value;
      named.push({ id, role, sha256 });
    }
    await records.add(record);
    progress.records(1);
  }
  await records.end();
  return named.sort((one, other) => (one.id < other.id ? -1 : 1));
}

async function fetch(stores: ExportedStores, to: Destination, { id, role, sha256 }: Named): Promise<Fetched> {
  if (to.has(id)) return { kind: 'there', archive: id };
  const archive = await wholeArchive(stores.archives, id);
  if (archive !== undefined) {
    const isAltered = sha256 !== '' && archive.sha256 !== sha256;
    return isAltered ? { kind: 'broken', archive: id } : { kind: 'read', archive };
  }
  if ((await stores.roles.whichAreNamed([id])).has(id)) return { kind: 'broken', archive: id };
  return { kind: 'removed', record: await removalOf(stores, { id, role }) };
}

/** How a role stands whose archive was removed while the others were read. */
async function removalOf(
  { roles }: ExportedStores,
  { id, role }: Omit<Named, 'sha256'>,
): Promise<MovedRecord> {
  const loaded = await roles.load(role);
  const { expiresAt = null, deletedAt = null } = loaded?.value ?? {};
  return { kind: 'removal', value: { id: role, archive: id, expiresAt, deletedAt } };
}
