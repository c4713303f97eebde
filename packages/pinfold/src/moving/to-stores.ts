import { randomUUID } from 'node:crypto';
import type {
  ArchiveId,
  ArchiveInspector,
  ArchiveStorage,
  RoleId,
  RoleStore,
  Sha256,
  StagedArchive,
  Staging,
  Token,
} from '@pinfold/core';
import { Gate } from '@pinfold/core/adapter';
import type { Import, MovedRecord } from '@pinfold/core/moving';
import { CommandFailure } from '../command-line/failures.ts';
import { type ExportEnd, recordsIn } from './export-form.ts';
import { provesArchive } from './manifest-proof.ts';
import type { Destination } from './move.ts';
import { AT_ONCE, archiveIn, type MovingArchive, storedArchives } from './whole-archive.ts';

const BATCH = 200;

export interface ImportedStores {
  readonly imports: Import;
  readonly archives: ArchiveStorage;
  readonly staging: Staging;
  readonly roles: Pick<RoleStore, 'loadManifest'>;
  readonly inspector: Pick<ArchiveInspector, 'list'>;
}

/** Takes an export into an empty database and a storage. Nothing but it changes them until it ends. */
export class ToStores implements Destination {
  readonly #stores: ImportedStores;
  readonly #token: Token = randomUUID() as string as Token;
  readonly #present: Set<ArchiveId> = new Set();
  /** The archives of the records, and what they must be. */
  readonly #named: Map<ArchiveId, Sha256> = new Map();
  readonly #publications: Set<RoleId> = new Set();
  readonly #storing: Gate = new Gate({ places: AT_ONCE });
  readonly #underWay: Set<Promise<void>> = new Set();
  #failure: { readonly reason: unknown } | undefined;

  constructor(stores: ImportedStores) {
    this.#stores = stores;
  }

  async begin(): Promise<void> {
    const begun = await this.#stores.imports.begin(this.#token);
    if (begun.kind === 'refused') {
      throw new CommandFailure('the database has records of its own: an import needs an empty one');
    }
    for await (const id of storedArchives(this.#stores.archives)) this.#present.add(id);
  }

  async records(lines: Uint8Array): Promise<void> {
    const records = recordsIn(lines);
    for (const record of records) {
      this.#expectPublication(record);
      const named = archiveIn(record);
      if (named !== undefined) this.#named.set(named.archive, named.sha256);
      if (record.kind === 'removal') this.#named.delete(record.value.archive);
    }
    for (let from = 0; from < records.length; from += BATCH) {
      const saved = await this.#stores.imports.saveRecords(this.#token, records.slice(from, from + BATCH));
      if (saved.kind === 'lost') throw taken();
    }
  }

  has(id: ArchiveId): boolean {
    return this.#present.has(id);
  }

  async archive(archive: MovingArchive): Promise<void> {
    const sha256 = this.#named.get(archive.id);
    if (sha256 === undefined || this.has(archive.id)) return;
    if (sha256 !== archive.sha256) {
      throw new CommandFailure(`archive ${archive.id} is not what its publication says`);
    }
    const leave = await this.#storing.enter(undefined);
    if (this.#failure !== undefined) throw this.#failure.reason;
    const stored = this.#store(archive)
      .catch((reason: unknown) => {
        this.#failure ??= { reason };
      })
      .finally(() => {
        this.#underWay.delete(stored);
        leave();
      });
    this.#underWay.add(stored);
  }

  async end({ broken }: ExportEnd): Promise<void> {
    await Promise.all(this.#underWay);
    if (this.#failure !== undefined) throw this.#failure.reason;
    await this.#expectAll(new Set(broken));
    const ended = await this.#stores.imports.end(this.#token);
    if (ended.kind === 'lost') throw taken();
  }

  /** A name without its publication would be a fault of the database, in words of its own. */
  #expectPublication({ kind, value }: MovedRecord): void {
    if (kind === 'publication') this.#publications.add(value.id);
    if (kind !== 'name' || this.#publications.has(value.role)) return;
    throw new CommandFailure(
      `the name ${value.name} shows ${value.role}, a publication that the export does not have: it is not whole`,
    );
  }

  async #expectProof(archive: MovingArchive, staged: StagedArchive): Promise<void> {
    const { roles, inspector } = this.#stores;
    const manifest = await roles.loadManifest(archive.id);
    if (manifest === undefined || (await provesArchive(manifest, archive, staged, inspector))) return;
    throw new CommandFailure(
      `the manifest of archive ${archive.id} does not fit the archive: the export was changed or damaged`,
    );
  }

  async #store(archive: MovingArchive): Promise<void> {
    const { id, pieces, bytes } = archive;
    const { staging, archives } = this.#stores;
    const received = await staging.receive(ReadableStream.from(pieces), bytes);
    if (received.kind !== 'received') throw new Error('an archive is longer than it is');
    try {
      await this.#expectProof(archive, received.archive);
      await archives.put(id, received.archive);
    } finally {
      await received.archive.discard();
    }
    this.#present.add(id);
  }

  /** Archives that existed at the beginning may have been removed since. */
  async #expectAll(broken: ReadonlySet<ArchiveId>): Promise<void> {
    const missing = new Set(this.#named.keys());
    for await (const id of storedArchives(this.#stores.archives)) missing.delete(id);
    const [first] = [...missing].filter((id) => !broken.has(id));
    if (first !== undefined) {
      throw new CommandFailure(`archives are missing, ${first} among them: the import is not finished`);
    }
  }
}

function taken(): CommandFailure {
  return new CommandFailure('another import has taken over');
}
