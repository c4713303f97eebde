import { randomUUID } from 'node:crypto';
import { type Role, stateOf, type Token } from '@pinfold/core';
import type { AllPorts } from '@pinfold/core/adapter';
import type { MovedRecord } from '@pinfold/core/moving';
import { CommandFailure } from '../command-line/failures.ts';
import { findArchives, listArchives, matchesArchive, moveArchives, unreadable } from './archives.ts';
import type { Destination, Source } from './walk.ts';

/** The number of records that are read or stored at once. */
const BATCH = 200;

export type ExportedStores = Pick<AllPorts, 'snapshot' | 'roles' | 'archives' | 'clock'>;
export type ImportedStores = Pick<AllPorts, 'imports' | 'archives' | 'roles' | 'inspector'>;

/**
 * Reads the records of a running service as of one instant, then the archives.
 *
 * @param sample the number of archives to read. Default: all that the destination needs.
 */
export function fromStores({ snapshot, roles, archives, clock }: ExportedStores, sample?: number): Source {
  const isInService = (role: Pick<Role, 'deletedAt' | 'expiresAt'> | undefined): boolean =>
    role !== undefined && stateOf(role, clock.now()) === 'published';
  return async (walk) => {
    let batch: MovedRecord[] = [];
    for await (const record of snapshot.records()) {
      const { kind, value } = record;
      // A role loses its manifest when its archive is removed.
      if (kind === 'publication' && value.manifest === null && isInService(value))
        walk.lost.push({ archive: value.archive, pin: value.id });
      if (batch.push(record) < BATCH) continue;
      await walk.records(batch);
      batch = [];
    }
    await walk.records(batch);
    await moveArchives(archives, await findArchives(archives, walk, sample), walk);
    await walk.settle();
    const { absent } = walk;
    for (const { archive, pin, state } of absent) {
      const role = (await roles.load(pin))?.value;
      if (state === 'missing' && isInService(role)) walk.lost.push({ archive, pin });
      // A removal deletes the archive first: if it was killed then, the ended role names the archive until a cleanup.
      const isHalfRemoved = state === 'missing' && role !== undefined && !isInService(role);
      if (!isHalfRemoved && (await roles.whichAreNamed([archive])).has(archive)) continue;
      // Otherwise it was removed while archives were read, so its role has changed, too.
      const { expiresAt = null, deletedAt = null } = role ?? {};
      await walk.records([{ kind: 'removal', value: { id: pin, archive, expiresAt, deletedAt } }]);
    }
    return absent.map(({ archive }) => archive);
  };
}

/** Imports into an empty database and a storage. The import alone changes them until it ends. */
export function toStores({ imports, archives, roles, inspector }: ImportedStores): Destination {
  const token = randomUUID() as string as Token;
  const checkToken = ({ kind }: { readonly kind: string }): void => {
    if (kind === 'lost') throw new CommandFailure('another import has taken over', 'cannot_write');
  };
  return {
    async *begin() {
      if ((await imports.begin(token)).kind === 'refused') {
        const message = 'the database has records of its own: an import needs an empty one';
        throw new CommandFailure(message, 'cannot_write');
      }
      yield* listArchives(archives);
    },
    async records(records) {
      for (let from = 0; from < records.length; from += BATCH)
        checkToken(await imports.saveRecords(token, records.slice(from, from + BATCH)));
    },
    async store(archive) {
      const manifest = await roles.loadManifest(archive.id);
      if (manifest !== undefined && !(await matchesArchive(manifest, archive, inspector)))
        throw unreadable(
          `the manifest of archive ${archive.id} does not match the archive: the export was changed or damaged`,
        );
      await archives.put(archive.id, archive);
    },
    /** Lists the archives again, because those that existed at the beginning may have been removed. */
    async end({ named, broken, known }) {
      const missing = new Map(named);
      for (const { archive } of broken) if (known.has(archive)) missing.delete(archive);
      for await (const id of listArchives(archives)) missing.delete(id);
      const [first] = missing.values();
      if (first?.state === 'altered')
        throw unreadable(`archive ${first.archive} does not match its publication`);
      if (first !== undefined)
        throw unreadable(`archives are missing, ${first.archive} among them: the import is not finished`);
      checkToken(await imports.end(token));
    },
  };
}
