import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { packFiles } from '@pinfold/client/zip';
import { expect } from 'chai';
import { spawnCommand } from '../command-run.ts';
import { newFolder } from '../servers/new-folder.ts';
import { type Stub, startStub } from '../servers/stub.ts';

describe('a command that reads a named pipe', () => {
  let server: Stub;
  let folder: string;
  let pipe: string;
  let child: ChildProcess | undefined;

  beforeEach(async () => {
    server = await startStub((_, response) => response.writeHead(404).end());
    folder = newFolder();
    pipe = join(folder, 'site.zip');
    execFileSync('mkfifo', [pipe]);
  });

  afterEach(() => {
    child?.kill('SIGKILL');
  });

  for (const args of [['publish'], ['takedowns', 'import'], ['accounts', 'erase', '--list']]) {
    it(`ends at the first signal while the pipe is silent: ${args.join(' ')}`, async () => {
      child = spawnCommand({ PINFOLD_DATA_DIR: folder }, ...args, pipe);
      const closed = once(child, 'close');
      // Opens as soon as the command reads the pipe.
      const writer = await open(pipe, 'w');
      child.kill('SIGINT');
      expect((await closed)[0]).to.equal(130);
      await writer.close();
    });
  }

  it('reads the pipe until its writer closes it', async () => {
    const received: Buffer[] = [];
    server = await startStub((request, response) => {
      request.on('data', (piece: Buffer) => received.push(piece));
      request.on('end', () => response.writeHead(404).end());
    });
    child = spawnCommand({ PINFOLD_URL: server.url, PINFOLD_KEY: 'any' }, 'publish', pipe);
    const closed = once(child, 'close');
    const { bytes } = await packFiles([{ path: 'index.html', bytes: new Uint8Array(200_000) }]);
    const writer = await open(pipe, 'w');
    await writer.writeFile(bytes);
    await writer.close();
    await closed;
    expect(Buffer.concat(received).includes(Buffer.from(bytes))).to.equal(true);
  });
});
