import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FsArchiveStorage } from '@pinfold/storage-fs';
import { anArchiveId, someBytes } from '@pinfold/test-contracts/fixtures';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { placeOf } from '../src/archive-folders.ts';
import { beforeFlush, FailingFiles } from './failing-files.ts';
import { faultOf, filesIn, inOne, openFolder } from './opened.ts';

describe('An archive in memory', () => {
  const opened = ofEachTest(openFolder);

  afterEach(() => opened.dispose());

  it('is written, flushed and then moved; nothing is left of an incomplete one', async () => {
    const system = new FailingFiles();
    const open = beforeFlush(system.files.open, () => void system.calls.push('flush'));
    const { staging, clock } = opened;
    const root = join(opened.folder, 'archives');
    const storage = new FsArchiveStorage({ folder: root, staging, clock }, { ...system.files, open });
    const bytes = someBytes(100, 1);
    const received = await staging.receive(inOne(bytes), 100);
    if (received.kind !== 'received') throw new Error(received.kind);
    await storage.put(anArchiveId(1), received.archive);
    system.calls.length = 0;
    await storage.put(anArchiveId(2), received.archive);
    const calls = system.calls.map((call) => call.split(' ')[0]);
    expect(calls).to.deep.equal(['open', 'flush', 'rename', 'open', 'flush']);
    const { file } = placeOf(root, anArchiveId(2));
    expect(await readFile(file)).to.deep.equal(Buffer.from(bytes));
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    const shorter = { ...received.archive, size: 101 };
    expect(await faultOf(storage.put(anArchiveId(3), shorter))).to.equal('storage_unavailable');
    expect(await filesIn(opened.folder)).to.have.lengthOf(2);
  });
});
