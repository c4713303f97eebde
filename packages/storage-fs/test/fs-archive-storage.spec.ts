import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ArchiveId, hours, type Instant } from '@pinfold/core';
import { archiveIdOf } from '@pinfold/core/adapter';
import { FsArchiveStorage, openFsArchiveStorage } from '@pinfold/storage-fs';
import { anArchiveId, someBytes } from '@pinfold/test-contracts/fixtures';
import { uuidOf } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { placeOf } from '../src/archive-folders.ts';
import { type Files, nodeFiles } from '../src/files.ts';
import { beforeFlush, FailingFiles, systemError } from './failing-files.ts';
import { causeOf, faultOf, filesIn, type Opened, openFolder } from './opened.ts';

async function expectFaults(calls: readonly Promise<unknown>[]): Promise<void> {
  for (const code of await Promise.all(calls.map(faultOf))) expect(code).to.equal('storage_unavailable');
}

describe('FsArchiveStorage', () => {
  let opened: Opened;
  let root: string;
  beforeEach(async () => {
    opened = await openFolder();
    root = join(opened.folder, 'archives');
  });
  afterEach(() => opened.dispose());

  const fileOf = (id: ArchiveId): string => placeOf(root, id).file;
  const put = async (id: ArchiveId): Promise<void> =>
    opened.storage.put(id, await opened.stage(someBytes(20_000, 1)));

  function storageOn(files: Files): FsArchiveStorage {
    const { staging, clock } = opened;
    return new FsArchiveStorage({ folder: root, staging, clock }, files);
  }

  /** A storage with a file system that fails when the test wants it. */
  function failing(): { readonly system: FailingFiles; readonly storage: FsArchiveStorage } {
    const system = new FailingFiles();
    return { system, storage: storageOn(system.files) };
  }

  it('moves the staged file, readable by its owner only, and leaves nothing in the staging folder', async () => {
    const staged = await opened.stage(someBytes(20_000, 1));
    const { ino } = await stat(staged.file);
    await opened.storage.put(anArchiveId(1), staged);
    await staged.discard();
    const moved = await stat(fileOf(anArchiveId(1)));
    expect([moved.ino, moved.mode & 0o777]).to.deep.equal([ino, 0o600]);
    const { span, folder } = placeOf(root, anArchiveId(1));
    for (const made of [span, folder]) expect((await stat(made)).mode & 0o777).to.equal(0o700);
    expect(await filesIn(opened.folder)).to.deep.equal([
      fileOf(anArchiveId(1)).slice(opened.folder.length + 1),
    ]);
  });

  it('does not access the disk to discard a moved archive', async () => {
    const staged = await opened.stage(someBytes(20_000, 1));
    await opened.storage.put(anArchiveId(1), staged);
    await writeFile(staged.file, 'of another');
    await staged.discard();
    expect(await readFile(staged.file, 'utf8')).to.equal('of another');
  });

  it('flushes the file before it moves it, and every folder with a new name after that', async () => {
    const { system, storage } = failing();
    const staged = await opened.stage(someBytes(20_000, 1));
    const { span, folder, file } = placeOf(root, anArchiveId(1));
    system.calls.length = 0;
    await storage.put(anArchiveId(1), staged);
    expect(system.calls).to.deep.equal([
      `open ${staged.file}`,
      `stat ${staged.file}`,
      `mkdir ${span}`,
      `open ${root}`,
      `mkdir ${folder}`,
      `open ${span}`,
      `rename ${staged.file}`,
      `open ${folder}`,
    ]);
    system.calls.length = 0;
    const again = await opened.stage(someBytes(20_000, 2));
    await storage.prepare(again);
    await storage.put(anArchiveId(2), again);
    expect(system.calls, 'a file that was prepared, and folders that are known to be durable').to.deep.equal([
      `open ${again.file}`,
      `stat ${again.file}`,
      `rename ${again.file}`,
      `open ${folder}`,
    ]);
    expect(dirname(file)).to.equal(folder);
  });

  it('does not move a file whose flush in prepare failed, and flushes it again in the next put', async () => {
    let isBroken = true;
    const open = beforeFlush(nodeFiles.open, () => {
      if (isBroken) throw systemError('EIO', 'fsync');
    });
    const storage = storageOn({ ...nodeFiles, open });
    const staged = await opened.stage(someBytes(20_000, 1));
    expect(await faultOf(storage.prepare(staged))).to.equal('storage_unavailable');
    isBroken = false;
    expect(await faultOf(storage.put(anArchiveId(1), staged))).to.equal('storage_unavailable');
    expect(await storage.size(anArchiveId(1))).to.equal(undefined);
    await storage.put(anArchiveId(1), staged);
    expect(await storage.size(anArchiveId(1))).to.equal(20_000);
  });

  it('puts a file that could not be opened in prepare', async () => {
    const { system, storage } = failing();
    const staged = await opened.stage(someBytes(20_000, 1));
    system.failing = { call: 'open', code: 'EMFILE' };
    expect(await faultOf(storage.prepare(staged))).to.equal('storage_unavailable');
    system.failing = undefined;
    await storage.put(anArchiveId(1), staged);
    expect(await storage.size(anArchiveId(1))).to.equal(20_000);
  });

  it('does not fail a check whose probe the check of another node has removed', async () => {
    const rename: typeof nodeFiles.rename = async (from, to) => {
      await nodeFiles.rename(from, to);
      await nodeFiles.rm(to);
    };
    const storage = storageOn({ ...nodeFiles, rename });
    await storage.check();
    expect(await filesIn(opened.folder)).to.deep.equal([]);
  });

  it('deletes at most two files at a time, for any number of requests', async () => {
    const held: (() => void)[] = [];
    const unlink = (path: string): Promise<void> =>
      new Promise<void>((resolve) => held.push(resolve)).then(() => nodeFiles.unlink(path));
    const storage = storageOn({ ...nodeFiles, unlink } as Files);
    const ids = Array.from({ length: 5 }, (_, n) => anArchiveId(n + 1));
    for (const id of ids) await put(id);
    const deletions = ids.map((id) => storage.delete(id));
    for (const begun of [2, 4, 5]) {
      expect(await storage.read(ids[4] as ArchiveId, 0, 1), 'others read meanwhile').to.have.length(1);
      expect(held).to.have.length(begun);
      for (const unlinkNow of held) unlinkNow();
      await Promise.all(deletions.slice(0, begun));
    }
    expect(await filesIn(opened.folder)).to.deep.equal([]);
  });

  it('continues with the next deletion after one that failed', async () => {
    const { system, storage } = failing();
    for (const n of [1, 2, 3, 4]) await put(anArchiveId(n));
    system.failing = { call: 'unlink', code: 'EIO' };
    await expectFaults([1, 2, 3, 4].map((n) => storage.delete(anArchiveId(n))));
    system.failing = undefined;
    await Promise.all([1, 2, 3, 4].map((n) => storage.delete(anArchiveId(n))));
    expect(await filesIn(opened.folder)).to.deep.equal([]);
  });

  it('walks thousands in one folder and in many, page by page', async () => {
    const ids: ArchiveId[] = [];
    for (let n = 0; n < 3_000; n += 1) ids.push(anArchiveId(n), anArchiveId(n * 700_000 + 5_000_000));
    const folders = new Set(ids.map((id) => placeOf(root, id).folder));
    await Promise.all([...folders].map((folder) => mkdir(folder, { recursive: true })));
    for (const id of ids) await writeFile(fileOf(id), '');
    const walked: ArchiveId[] = [];
    for (;;) {
      const page = await opened.storage.list(walked.at(-1), 700);
      walked.push(...page);
      if (page.length < 700) break;
    }
    expect(walked).to.deep.equal(ids.sort());
  });

  describe('pruning', () => {
    it('removes folders that deletions emptied, once no publication can use them', async () => {
      await put(anArchiveId(1));
      await put(anArchiveId(2));
      opened.clock.advance(hours(2));
      await opened.storage.delete(anArchiveId(1));
      expect(await opened.storage.list(undefined, 10)).to.deep.equal([anArchiveId(2)]);
      await opened.storage.delete(anArchiveId(2));
      expect(await readdir(root)).to.deep.equal([]);
    });

    it('does not remove the current folder', async () => {
      await put(anArchiveId(1));
      await opened.storage.delete(anArchiveId(1));
      expect((await stat(placeOf(root, anArchiveId(1)).folder)).isDirectory()).to.equal(true);
    });

    it('does not disturb puts into the same folders, by this process or another', async () => {
      opened.clock.advance(hours(2));
      const peer = await opened.openStorage();
      const numbers = Array.from({ length: 60 }, (_, n) => n);
      await Promise.all(
        numbers.map(async (n) => {
          await put(anArchiveId(n));
          if (n % 2 === 0) await peer.delete(anArchiveId(n));
        }),
      );
      const odd = numbers.filter((n) => n % 2 === 1).map(anArchiveId);
      expect(await opened.storage.list(undefined, 100)).to.deep.equal(odd);
    });
  });

  describe('faults', () => {
    for (const code of ['ENOSPC', 'EROFS', 'EACCES', 'EIO', 'EXDEV']) {
      it(`is storage_unavailable on ${code}, keeps the staged file, and works again without a restart`, async () => {
        const { system, storage } = failing();
        const staged = await opened.stage(someBytes(20_000, 1));
        system.failing = { call: 'rename', code };
        const failed = storage.put(anArchiveId(1), staged);
        expect(await faultOf(failed)).to.equal('storage_unavailable');
        expect(await causeOf(failed)).to.equal(code);
        expect(await storage.read(anArchiveId(1), 0, 1)).to.equal(undefined);
        system.failing = undefined;
        await storage.put(anArchiveId(1), staged);
        expect(await storage.read(anArchiveId(1), 0, 1)).to.have.length(1);
      });
    }

    it('does not report an archive as absent if it cannot be opened, deleted or listed', async () => {
      const { system, storage } = failing();
      await put(anArchiveId(1));
      const calls = {
        open: () => storage.read(anArchiveId(1), 0, 1),
        unlink: () => storage.delete(anArchiveId(1)),
        opendir: () => storage.list(undefined, 10),
        readdir: () => storage.list(undefined, 10),
      };
      for (const [call, act] of Object.entries(calls)) {
        system.failing = { call: call as keyof typeof calls, code: 'EIO' };
        expect(await faultOf(act()), call).to.equal('storage_unavailable');
      }
    });

    it("throws an error unchanged if it is not the system's", async () => {
      const mistake = new TypeError('a mistake of the program');
      const storage = storageOn({ ...nodeFiles, stat: () => Promise.reject(mistake) } as Files);
      expect(await faultOf(storage.size(anArchiveId(1)))).to.equal(mistake);
    });

    it('is storage_unavailable while the folder is missing or a file is there, and works again afterwards', async () => {
      await put(anArchiveId(1));
      const staged = await opened.stage(someBytes(20_000, 2));
      const calls = (): readonly Promise<unknown>[] => [
        opened.storage.put(anArchiveId(2), staged),
        opened.storage.read(anArchiveId(1), 0, 1),
        opened.storage.read(anArchiveId(9), 0, 1),
        opened.storage.delete(anArchiveId(9)),
        opened.storage.list(undefined, 10),
        opened.storage.check(),
      ];
      await rename(root, `${root}-away`);
      await expectFaults(calls());
      await writeFile(root, '');
      await expectFaults(calls());
      await rm(root);
      await rename(`${root}-away`, root);
      await Promise.all(calls());
      expect(await opened.storage.list(undefined, 10)).to.deep.equal([anArchiveId(1), anArchiveId(2)]);
    });

    it('stores again in a folder that was emptied meanwhile', async () => {
      await put(anArchiveId(1));
      await rm(root, { recursive: true });
      await mkdir(root);
      await put(anArchiveId(2));
      expect(await opened.storage.list(undefined, 10)).to.deep.equal([anArchiveId(2)]);
    });
  });

  it('does not open on two volumes, because archives are moved, never copied', async () => {
    const { staging, clock } = opened;
    const system = new FailingFiles();
    system.failing = { call: 'rename', code: 'EXDEV' };
    const across = openFsArchiveStorage({ folder: root, staging, clock }, system.files);
    expect(await faultOf(across)).to.equal('storage_unavailable');
    expect(await causeOf(across)).to.equal('EXDEV');
    expect(await filesIn(opened.folder), 'nothing is left of the attempt').to.deep.equal([]);
  });

  it('does not open if nothing can be stored', async () => {
    const { folder, staging, clock } = opened;
    await writeFile(join(folder, 'file'), '');
    for (const path of [join(folder, 'file'), join(folder, 'file', 'archives')]) {
      expect(await faultOf(openFsArchiveStorage({ folder: path, staging, clock }))).to.equal(
        'storage_unavailable',
      );
    }
  });

  it('accepts ids of every instant', async () => {
    const ids = [0, 1, 9_999_999_999_999].map((at) => archiveIdOf(at as Instant, uuidOf(at % 1_000)));
    for (const id of ids) await put(id);
    expect(await opened.storage.list(undefined, 10)).to.deep.equal(ids);
    expect(await opened.storage.list(ids[1], 10)).to.deep.equal([ids[2]]);
  });
});
