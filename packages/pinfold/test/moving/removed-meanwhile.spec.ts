import type { ArchiveId, ArchiveStorage, Instant } from '@pinfold/core';
import { createMemory, type Memory } from '@pinfold/memory';
import {
  anArchiveId,
  aPublication,
  aRoleId,
  createManualClock,
  createStagedArchives,
  publishTo,
  replacing,
  type StagedArchives,
  someBytes,
} from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { type MovingArchive, toMovingArchive } from '../../src/moving/archives.ts';
import { fromStores, toStores } from '../../src/moving/stores.ts';
import { fromTar, walkToTar } from '../../src/moving/tar.ts';
import { type Destination, type Source, type Walk, walk } from '../../src/moving/walk.ts';

/** These archives are not ZIPs. */
const unproved = { roles: { loadManifest: async () => undefined } as never, inspector: {} as never };

describe('a move during changes', () => {
  const clock = createManualClock();
  let staged: StagedArchives;
  let memory: Memory;

  beforeEach(async () => {
    staged = await createStagedArchives();
    memory = createMemory();
    for (let n = 1; n <= 3; n += 1) await publishBytes(n, 1_000 * n);
  });

  async function publishBytes(n: number, length: number): Promise<void> {
    const bytes = someBytes(length, n);
    await memory.archives.put(anArchiveId(n), await staged.stage(bytes));
    const { sha256 } = toMovingArchive(anArchiveId(n), bytes);
    await publishTo(memory.roles, aPublication(n, { sha256, archiveBytes: bytes.length }));
  }

  afterEach(() => staged.dispose());

  /** A destination that accepts everything. */
  function createCollector(): Destination & { readonly got: MovingArchive[]; ended: Walk | undefined } {
    const got: MovingArchive[] = [];
    return {
      got,
      ended: undefined,
      store: async (archive) => void got.push(archive),
      async end(end) {
        this.ended = end;
      },
    };
  }

  /** A storage that runs a task when an archive is first read. */
  function createHookedStorage(id: ArchiveId, act: () => Promise<void>): ArchiveStorage {
    let acted: Promise<void> | undefined;
    return replacing(memory.archives, {
      size: async (asked, signal) => {
        if (asked === id) {
          acted ??= act();
          await acted;
        }
        return memory.archives.size(asked, signal);
      },
    });
  }

  async function stopAndRemove(n: number): Promise<void> {
    const loaded = await memory.roles.load(aRoleId(n));
    if (loaded === undefined) throw new Error('a role is not there');
    const deletedAt = (loaded.value.publishedAt + 5) as Instant;
    await memory.roles.save({ ...loaded.value, deletedAt }, loaded.version, []);
    const claim = { now: deletedAt, endedBefore: deletedAt, token: 'x' as never, until: deletedAt, limit: 1 };
    const [task] = await memory.roles.claimForCleanup(claim);
    if (task === undefined) throw new Error('nothing was claimed');
    await memory.archives.delete(task.archive);
    await memory.roles.settleCleanup(task, { kind: 'removed' }, []);
  }

  it('records an archive that a sweep removed: its role has ended at the target as well', async () => {
    const archives = createHookedStorage(anArchiveId(2), () => stopAndRemove(2));
    const target = createMemory();
    const to = toStores({ imports: target.imports, archives: target.archives, ...unproved });
    const moved = await walk(fromStores({ ...memory, archives, clock }), to, () => undefined);
    expect(moved).to.deep.include({ archives: new Set([1, 3].map(anArchiveId)), copied: 2, broken: [] });
    const role = (await target.roles.load(aRoleId(2)))?.value;
    expect(role?.deletedAt).to.equal((await memory.roles.load(aRoleId(2)))?.value.deletedAt);
    expect(await target.roles.listArchives(undefined, 9)).to.deep.equal([anArchiveId(1), anArchiveId(3)]);
    expect(await target.archives.list(undefined, 9)).to.deep.equal([anArchiveId(1), anArchiveId(3)]);
    expect(await target.imports.isUnfinished()).to.equal(false);
  });

  it('excludes publications after its instant', async () => {
    const archives = createHookedStorage(anArchiveId(1), () => publishBytes(9, 10));
    const to = createCollector();
    await walk(fromStores({ ...memory, archives, clock }), to, () => undefined);
    expect(to.ended?.archives).to.deep.equal(new Set([1, 2, 3].map(anArchiveId)));
  });

  it('yields archives in order of id, and reads ahead only so many', async () => {
    const underWay = new Set<ArchiveId>();
    let most = 0;
    const archives = replacing(memory.archives, {
      size: async (id) => {
        underWay.add(id);
        most = Math.max(most, underWay.size);
        await new Promise(setImmediate);
        return memory.archives.size(id);
      },
      read: async (id, from, length) => {
        const bytes = await memory.archives.read(id, from, length);
        underWay.delete(id);
        return bytes;
      },
    });
    for (let n = 10; n < 30; n += 1) await publishBytes(n, 10);
    const to = createCollector();
    await walk(fromStores({ ...memory, archives, clock }), to, () => undefined);
    const ids = to.got.map(({ id }) => id);
    expect(ids).to.deep.equal(ids.toSorted());
    expect(ids).to.have.lengthOf(23);
    expect(most).to.equal(4);
  });

  it('reads one archive of a tar ahead of those that are being stored', async () => {
    const MiB = 1_048_576;
    for (let n = 10; n < 20; n += 1) await publishBytes(n, MiB);
    const chunks: Uint8Array[] = [];
    const pipe = async (tar: ReadableStream<Uint8Array>): Promise<void> => {
      for await (const bytes of tar)
        for (let at = 0; at < bytes.length; at += 16_384) chunks.push(bytes.slice(at, at + 16_384));
    };
    await walkToTar(fromStores({ ...memory, clock }), pipe, () => undefined);
    let read = 0;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      const bytes = chunks.shift();
      read += bytes?.length ?? 0;
      if (bytes === undefined) controller.close();
      else controller.enqueue(bytes);
    };
    const large: ArchiveId[] = [];
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const store = async ({ id, size }: MovingArchive): Promise<void> => {
      if (size < MiB) return;
      large.push(id);
      await finished;
    };
    const moving = walk(
      fromTar(new ReadableStream({ pull }, { highWaterMark: 0 })),
      { store },
      () => undefined,
    );
    for (let before = -1; before !== read; ) {
      before = read;
      for (let turns = 0; turns < 100; turns += 1) await new Promise(setImmediate);
    }
    expect(large).to.have.lengthOf(4);
    expect(read).to.be.within(4 * MiB, 6 * MiB);
    finish();
    expect((await moving).copied).to.equal(13);
  });

  it('stores no archive twice, and none without a record', async () => {
    const target = createMemory();
    const put: ArchiveId[] = [];
    const archives = replacing(target.archives, {
      put: async (id, archive) => {
        put.push(id);
        await target.archives.put(id, archive);
      },
    });
    const source: Source = async (walk) => {
      for await (const record of memory.snapshot.records()) await walk.records([record]);
      for (const n of [1, 1, 50, 2, 3]) {
        const archive = toMovingArchive(anArchiveId(n), someBytes(1_000 * n, n));
        if (walk.find(archive.id)) await walk.move(archive.id, async () => archive);
      }
      return [];
    };
    await walk(source, toStores({ imports: target.imports, archives, ...unproved }), () => undefined);
    expect(put).to.deep.equal([1, 2, 3].map(anArchiveId));
  });
});
