import { randomUUID } from 'node:crypto';
import type { ArchiveId, Token } from '@pinfold/core';
import type { AllPorts } from '@pinfold/core/adapter';
import type { MovedRecord } from '@pinfold/core/moving';
import { CommandFailure } from '../command-line/failures.ts';
import { listArchives, type MovingArchive } from './archives.ts';
import { matchesArchive } from './manifest-proof.ts';
import type { Destination, Walk } from './walk.ts';

const BATCH = 200;

export type ImportedStores = Pick<AllPorts, 'imports' | 'archives' | 'roles' | 'inspector'>;

/** Imports into an empty database and a storage. The import alone changes them until it ends. */
export class ToStores implements Destination {
  readonly #stores: ImportedStores;
  readonly #token: Token = randomUUID() as string as Token;

  constructor(stores: ImportedStores) {
    this.#stores = stores;
  }

  async *begin(): AsyncGenerator<ArchiveId, void> {
    const started = await this.#stores.imports.begin(this.#token);
    if (started.kind === 'refused')
      throw new CommandFailure(
        'the database has records of its own: an import needs an empty one',
        'cannot_write',
      );
    yield* listArchives(this.#stores.archives);
  }

  async records(records: readonly MovedRecord[]): Promise<void> {
    for (let from = 0; from < records.length; from += BATCH)
      this.#checkToken(
        await this.#stores.imports.saveRecords(this.#token, records.slice(from, from + BATCH)),
      );
  }

  async store(archive: MovingArchive): Promise<void> {
    const { roles, inspector, archives } = this.#stores;
    const manifest = await roles.loadManifest(archive.id);
    if (manifest !== undefined && !(await matchesArchive(manifest, archive, inspector)))
      throw new CommandFailure(
        `the manifest of archive ${archive.id} does not match the archive: the export was changed or damaged`,
        'unreadable',
      );
    await archives.put(archive.id, archive);
  }

  /** Lists the archives again, because those that existed at the beginning may have been removed. */
  async end({ named, broken }: Walk): Promise<void> {
    const altered = broken.find(({ fault, isKnown }) => fault === 'altered' && !isKnown);
    if (altered !== undefined)
      throw new CommandFailure(`archive ${altered.archive} does not match its publication`, 'unreadable');
    const missing = new Set(named.keys());
    for await (const id of listArchives(this.#stores.archives)) missing.delete(id);
    for (const { archive, isKnown } of broken) if (isKnown) missing.delete(archive);
    const [first] = missing;
    if (first !== undefined)
      throw new CommandFailure(
        `archives are missing, ${first} among them: the import is not finished`,
        'unreadable',
      );
    this.#checkToken(await this.#stores.imports.end(this.#token));
  }

  #checkToken({ kind }: { readonly kind: string }): void {
    if (kind === 'lost') throw new CommandFailure('another import has taken over', 'cannot_write');
  }
}
