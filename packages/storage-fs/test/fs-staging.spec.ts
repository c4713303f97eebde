import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, days, hours } from '@pinfold/core';
import { FsStaging, openFsStaging } from '@pinfold/storage-fs';
import { START, someBytes } from '@pinfold/test-contracts/fixtures';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { type Files, nodeFiles } from '../src/files.ts';
import { FailingFiles, fullDisk } from './failing-files.ts';
import { causeOf, descriptors, faultOf, filesIn, inOne, openFolder } from './opened.ts';

async function expectFaults(calls: readonly Promise<unknown>[]): Promise<void> {
  for (const code of await Promise.all(calls.map(faultOf))) expect(code).to.equal('staging_unavailable');
}

describe('FsStaging', () => {
  const opened = ofEachTest(openFolder);

  afterEach(() => opened.dispose());

  const stagingOn = (files: Files): FsStaging =>
    new FsStaging({ folder: opened.staging.folder, clock: opened.clock }, files);

  it('creates its folder and its files for the owner only', async () => {
    const archive = await opened.stage(someBytes(20_000, 1));
    expect((await stat(opened.staging.folder)).mode & 0o777).to.equal(0o700);
    expect((await stat(archive.file)).mode & 0o777).to.equal(0o600);
  });

  it('names files by the instant and at random, inside its folder', async () => {
    const [one, other] = await Promise.all([
      opened.stage(someBytes(20_000, 1)),
      opened.stage(someBytes(20_000, 1)),
    ]);
    expect(one.file).to.not.equal(other.file);
    for (const { file } of [one, other]) {
      expect(file.startsWith(join(opened.staging.folder, `${START}-`))).to.equal(true);
    }
  });

  it('judges age by the name rather than the file’s time, and removes no other files', async () => {
    const archive = await opened.stage(someBytes(20_000, 1));
    const [old, strange] = [new Date(0), join(opened.staging.folder, 'notes.txt')];
    await utimes(archive.file, old, old);
    await writeFile(strange, '');
    await utimes(strange, old, old);
    expect(await opened.staging.sweep(START)).to.equal(0);
    expect(await opened.staging.sweep(after(START, days(1)))).to.equal(1);
    expect(await filesIn(opened.folder)).to.deep.equal(['staging/notes.txt']);
  });

  it('removes each file once in concurrent sweeps', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => opened.stage(someBytes(20_000, n))));
    const peer = await opened.openStaging();
    const swept = await Promise.all(
      [opened.staging, peer].map((staging) => staging.sweep(after(START, hours(1)))),
    );
    expect((swept[0] ?? 0) + (swept[1] ?? 0)).to.equal(20);
  });

  it('has one descriptor per upload, and none afterwards', async () => {
    const before = descriptors();
    const held: number[] = [];
    async function* watched(): AsyncGenerator<Uint8Array, void> {
      for (let n = 0; n < 5; n += 1) yield someBytes(10_000, n);
      held.push(descriptors());
    }
    const failing = async function* (): AsyncGenerator<Uint8Array, void> {
      yield someBytes(20_000, 1);
      throw new Error('broken');
    };
    const many = Array.from({ length: 10 }, () => opened.staging.receive(watched(), 50_000));
    await Promise.all(many);
    expect(Math.max(...held) - before).to.be.at.most(10);
    await opened.staging.receive(failing(), 20_000).catch(() => {});
    await opened.staging.receive(inOne(someBytes(20_001, 1)), 20_000);
    await opened.staging.receive(inOne(someBytes(1, 1)), 100, AbortSignal.abort()).catch(() => {});
    expect(descriptors()).to.equal(before);
  });

  it('writes large blocks even for small pieces', async () => {
    const written: number[] = [];
    const opening = async (...args: Parameters<Files['open']>): Promise<FileHandle> => {
      const handle = await nodeFiles.open(...args);
      const write = handle.write.bind(handle) as (bytes: Uint8Array, from: number) => Promise<unknown>;
      const counted = (bytes: Uint8Array, from: number): Promise<unknown> => {
        written.push(bytes.byteLength - from);
        return write(bytes, from);
      };
      return Object.assign(handle, { write: counted });
    };
    const files = { ...nodeFiles, open: opening as Files['open'] };
    const staging = stagingOn(files);
    async function* small(): AsyncGenerator<Uint8Array, void> {
      for (let n = 0; n < 600; n += 1) yield someBytes(1_000, n);
    }
    expect(await staging.receive(small(), 600_000)).to.have.property('kind', 'received');
    expect(written).to.deep.equal([262_144, 262_144, 75_712]);
  });

  it('holds only small uploads in memory', async () => {
    const system = new FailingFiles();
    const staging = stagingOn(system.files);
    for (const size of [0, 1, 16_384]) {
      const outcome = await staging.receive(inOne(someBytes(size, 1)), size);
      if (outcome.kind !== 'received') throw new Error(outcome.kind);
      const { file, bytes } = outcome.archive;
      expect(file).to.equal(undefined);
      expect(bytes && Buffer.compare(bytes, someBytes(size, 1)), `${size}`).to.equal(0);
      await outcome.archive.discard();
    }
    expect(system.calls).to.deep.equal([]);
    expect((await opened.stage(someBytes(16_385, 1))).bytes).to.equal(undefined);
  });

  it('waits for the disk before it reads more, so that an upload needs little memory', async () => {
    const chunk = new Uint8Array(64 * 1_024);
    const hash = createHash('sha256');
    async function* reused(): AsyncGenerator<Uint8Array, void> {
      for (let n = 0; n < 100; n += 1) {
        chunk.fill(n);
        hash.update(chunk);
        yield chunk;
      }
    }
    // The body overwrites its only chunk each time: the staging must not hold a reference to it.
    const outcome = await opened.staging.receive(reused(), 100 * chunk.length);
    expect(outcome).to.have.nested.property('archive.sha256', hash.digest('hex'));
  });

  it('throws staging_unavailable if the disk is full, and leaves nothing', async () => {
    const staging = stagingOn(fullDisk);
    const received = staging.receive(inOne(someBytes(20_000, 1)), 20_000);
    expect(await faultOf(received)).to.equal('staging_unavailable');
    expect(await causeOf(received)).to.equal('ENOSPC');
    expect(await faultOf(staging.check())).to.equal('staging_unavailable');
    expect(await filesIn(opened.folder)).to.deep.equal([]);
  });

  for (const code of ['EROFS', 'EACCES', 'EIO', 'EMFILE', 'EDQUOT']) {
    it(`throws staging_unavailable on ${code}, and works again without a restart`, async () => {
      const system = new FailingFiles();
      const staging = stagingOn(system.files);
      system.failing = { call: 'open', code };
      const received = staging.receive(inOne(someBytes(20_000, 1)), 20_000);
      expect(await faultOf(received)).to.equal('staging_unavailable');
      expect(await causeOf(received)).to.equal(code);
      expect(await faultOf(staging.check())).to.equal('staging_unavailable');
      system.failing = undefined;
      expect(await staging.receive(inOne(someBytes(20_000, 1)), 20_000)).to.have.property('kind', 'received');
      await staging.check();
    });
  }

  it('throws while its folder is missing or a file is there, and works again without a restart', async () => {
    const { folder } = opened.staging;
    const away = `${folder}-away`;
    const calls = (): readonly Promise<unknown>[] => [
      opened.staging.receive(inOne(someBytes(20_000, 1)), 20_000),
      opened.staging.sweep(START),
      opened.staging.check(),
    ];
    await rename(folder, away);
    await expectFaults(calls());
    await writeFile(folder, '');
    await expectFaults(calls());
    await rm(folder);
    await rename(away, folder);
    await Promise.all(calls());
  });

  it('does not open if nothing can be written', async () => {
    const { folder, clock } = opened;
    await writeFile(join(folder, 'file'), '');
    const inFile = openFsStaging({ folder: join(folder, 'file', 'staging'), clock });
    expect(await faultOf(inFile)).to.equal('staging_unavailable');
    const onFile = openFsStaging({ folder: join(folder, 'file'), clock });
    expect(await faultOf(onFile)).to.equal('staging_unavailable');
  });

  it('throws the error of the body even if the file cannot be removed', async () => {
    const system = new FailingFiles();
    const staging = stagingOn(system.files);
    const broken = new Error('broken');
    async function* failing(): AsyncGenerator<Uint8Array, void> {
      system.failing = { call: 'unlink', code: 'EIO' };
      yield someBytes(20_000, 1);
      throw broken;
    }
    expect(await faultOf(staging.receive(failing(), 20_000))).to.equal(broken);
    system.failing = undefined;
    expect(await staging.sweep(after(START, hours(1))), 'the sweep finds it').to.equal(1);
  });

  it('discards without an error after the folder was removed', async () => {
    const archive = await opened.stage(someBytes(20_000, 1));
    await rm(opened.staging.folder, { recursive: true });
    await archive.discard();
    await mkdir(opened.staging.folder);
  });
});
