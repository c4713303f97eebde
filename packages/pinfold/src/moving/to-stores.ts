import { randomUUID } from 'node:crypto';
import type { ArchiveId, StagedArchive, Token } from '@pinfold/core';
import type { AllPorts } from '@pinfold/core/adapter';
import type { MovedRecord } from '@pinfold/core/moving';
import { CommandFailure } from '../command-line/failures.ts';
import { CONCURRENCY, listArchives, type MovingArchive, storeArchive } from './archives.ts';
import { matchesArchive } from './manifest-proof.ts';
import type { Destination, Named, Walked } from './walk.ts';

const BATCH = 200;

export type ImportedStores = Pick<AllPorts, 'imports' | 'archives' | 'staging' | 'roles' | 'inspector'>;

/** Imports into an empty database and a storage. The import alone changes them until it ends. */
export class ToStores implements Destination {
  readonly #stores: ImportedStores;
  readonly #token: Token = randomUUID() as string as Token;
  readonly #present: Set<ArchiveId> = new Set();
  readonly #running: Promise<void>[] = [];
  #named: Named = new Map();

  constructor(stores: ImportedStores) {
    this.#stores = stores;
  }

  async begin(named: Named): Promise<void> {
    const started = await this.#stores.imports.begin(this.#token);
    if (started.kind === 'refused')
      throw new CommandFailure(
        'the database has records of its own: an import needs an empty one',
        'cannot_write',
      );
    this.#named = named;
    for await (const id of listArchives(this.#stores.archives)) this.#present.add(id);
  }

  async records(records: readonly MovedRecord[]): Promise<void> {
    for (let from = 0; from < records.length; from += BATCH) {
      const saved = await this.#stores.imports.saveRecords(this.#token, records.slice(from, from + BATCH));
      if (saved.kind === 'lost') throw takenOverError();
    }
  }

  has(id: ArchiveId): boolean {
    return this.#present.has(id);
  }

  async archive(archive: MovingArchive): Promise<void> {
    const named = this.#named.get(archive.id);
    if (named === undefined || this.has(archive.id)) return;
    if (named.sha256 !== archive.sha256 || named.bytes !== archive.bytes)
      throw new CommandFailure(`archive ${archive.id} does not match its publication`, 'unreadable');
    this.#present.add(archive.id);
    const stored = storeArchive(archive, this.#stores, (staged) => this.#checkManifest(archive, staged));
    // Awaited later: until then a rejection must not count as unhandled.
    stored.catch(() => undefined);
    if (this.#running.push(stored) >= CONCURRENCY) await this.#running.shift();
  }

  /** Lists the archives again, because those that existed at the beginning may have been removed. */
  async end({ broken }: Walked): Promise<void> {
    await Promise.all(this.#running);
    const missing = new Set(this.#named.keys());
    for await (const id of listArchives(this.#stores.archives)) missing.delete(id);
    for (const id of broken) missing.delete(id);
    const [first] = missing;
    if (first !== undefined)
      throw new CommandFailure(
        `archives are missing, ${first} among them: the import is not finished`,
        'unreadable',
      );
    const ended = await this.#stores.imports.end(this.#token);
    if (ended.kind === 'lost') throw takenOverError();
  }

  async #checkManifest(archive: MovingArchive, staged: StagedArchive): Promise<void> {
    const { roles, inspector } = this.#stores;
    const manifest = await roles.loadManifest(archive.id);
    if (manifest === undefined || (await matchesArchive(manifest, archive, staged, inspector))) return;
    throw new CommandFailure(
      `the manifest of archive ${archive.id} does not match the archive: the export was changed or damaged`,
      'unreadable',
    );
  }
}

function takenOverError(): CommandFailure {
  return new CommandFailure('another import has taken over', 'cannot_write');
}
