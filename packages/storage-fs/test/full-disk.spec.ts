import { join } from 'node:path';
import { openFsArchiveStorage, openFsStaging } from '@pinfold/storage-fs';
import { anArchiveId, someBytes } from '@pinfold/test-contracts/fixtures';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { FailingFiles, fullDisk } from './failing-files.ts';
import { faultOf, inOne, openFolder } from './opened.ts';

describe('Folders opened on a full disk', () => {
  const opened = ofEachTest(openFolder);

  afterEach(() => opened.dispose());

  for (const code of ['ENOSPC', 'EDQUOT']) {
    it(`open on ${code}, and receive once there is room, without a restart`, async () => {
      const system = new FailingFiles();
      system.failing = { call: 'open', code };
      const staging = await openFsStaging(
        { folder: opened.staging.folder, clock: opened.clock },
        system.files,
      );
      expect(await faultOf(staging.receive(inOne(someBytes(20_000, 1)), 20_000))).to.equal(
        'staging_unavailable',
      );
      system.failing = undefined;
      expect(await staging.receive(inOne(someBytes(20_000, 1)), 20_000)).to.have.property('kind', 'received');
    });
  }

  for (const code of ['EACCES', 'EROFS', 'EIO']) {
    it(`do not open on ${code}`, async () => {
      const system = new FailingFiles();
      system.failing = { call: 'open', code };
      const opening = openFsStaging({ folder: opened.staging.folder, clock: opened.clock }, system.files);
      expect(await faultOf(opening)).to.equal('staging_unavailable');
    });
  }

  it('open, and allow reading and removing files', async () => {
    const { folder, staging, clock } = opened;
    const id = anArchiveId(1);
    await opened.storage.put(id, await opened.stage(someBytes(20_000, 1)));
    const root = join(folder, 'archives');
    const storage = await openFsArchiveStorage({ folder: root, staging, clock }, fullDisk);
    expect(await faultOf(storage.check())).to.equal('storage_unavailable');
    expect(await storage.read(id, 0, 1)).to.have.lengthOf(1);
    await storage.delete(id);
    expect(await storage.list(undefined, 10)).to.deep.equal([]);
  });
});
