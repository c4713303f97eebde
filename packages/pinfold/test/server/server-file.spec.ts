import { constants } from 'node:fs';
import files, { chmod, lstat, readFile, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { publicUrl } from '@pinfold/http';
import { expect } from 'chai';
import { readServerFile, writeServerFile } from '../../src/server/server-file.ts';
import { newFolder } from '../servers/new-folder.ts';

const { S_IFREG } = constants;

describe('the file of a running server', () => {
  let folder: string;

  /** Writes the file as a server does when it starts; resolves with what it does when it stops. */
  function startServer(
    port: number,
    fail = (error: unknown): void => expect.fail(String(error)),
  ): Promise<() => Promise<void>> {
    const url = `http://localhost:${port}`;
    const addresses = { publicUrl: publicUrl(url), sitesUrl: url, viewerMode: 'path' } as const;
    return writeServerFile(folder, addresses, { host: '127.0.0.1', port }, fail);
  }

  beforeEach(() => {
    folder = newFolder();
  });

  it('is removed only by the server that wrote it last', async () => {
    const stopFirst = await startServer(1_001);
    const stopSecond = await startServer(1_002);
    await stopFirst();
    expect((await readServerFile(folder))?.address).to.equal('http://127.0.0.1:1002');
    await stopSecond();
    expect(await readServerFile(folder)).to.equal(undefined);
  });

  it('does not fail the stop of a server whose disk has become read-only', async () => {
    const errors: unknown[] = [];
    const stop = await startServer(1_005, (error) => void errors.push(error));
    const readOnly = Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
    const { rm } = files;
    Object.assign(files, { rm: () => Promise.reject(readOnly) });
    syncBuiltinESMExports();
    try {
      await stop();
    } finally {
      Object.assign(files, { rm });
      syncBuiltinESMExports();
    }
    expect(errors).to.deep.equal([readOnly]);
  });

  it('replaces any file there, and does not write through a link', async function () {
    if (process.platform === 'win32') this.skip();
    const [file, other] = [join(folder, 'server.json'), join(folder, 'other')];
    await writeFile(other, 'of another');
    await symlink(other, file);
    const stop = await startServer(1_003);
    expect(await readFile(other, 'utf8')).to.equal('of another');
    expect((await lstat(file)).mode).to.equal(S_IFREG | 0o600);
    await stop();
    await writeFile(file, 'left over');
    await chmod(file, 0o666);
    await startServer(1_004);
    expect((await lstat(file)).mode).to.equal(S_IFREG | 0o600);
    expect((await readServerFile(folder))?.address).to.equal('http://127.0.0.1:1004');
  });
});
