import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { expect } from 'chai';
import { list } from '../servers/api-calls.ts';
import { startChild } from '../servers/child-server.ts';
import { newFolder } from '../servers/new-folder.ts';

const { text: apiKey } = new NodeApiKeySecrets().mint();
const PROGRAM = join(import.meta.dirname, '..', 'servers', 'publish-a-folder.ts');

/** A port that is free now, for servers that come one after the other. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('a program of ten lines', () => {
  it('publishes a folder once, though the server dies twice meanwhile', async () => {
    const folder = newFolder();
    await mkdir(join(folder, 'site'));
    await writeFile(join(folder, 'site', 'index.html'), '<!doctype html><title>Hello</title>');
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const start = (hang: string) =>
      startChild(
        {
          PINFOLD_DATA_DIR: join(folder, 'data'),
          PINFOLD_WELCOME: 'off',
          PINFOLD_VIEWER_MODE: 'path',
          PINFOLD_API_KEY: apiKey,
          PINFOLD_PORT: String(port),
          PINFOLD_PUBLIC_URL: url,
          HANG: hang,
        },
        'serve-until-killed.ts',
      );
    let server = start('after put');
    await server.url();
    const program = spawn(process.execPath, ['--conditions=@pinfold/source', PROGRAM, join(folder, 'site')], {
      env: { ...process.env, NODE_OPTIONS: '', PINFOLD_URL: url, PINFOLD_KEY: apiKey },
    });
    const ended = once(program, 'close');
    const [out, err] = [text(program.stdout), text(program.stderr)];
    // Before the commit, and after it: the answer is lost both times.
    for (const next of ['after commit', 'never']) {
      await server.said(/^hanging$/m);
      server.process.kill('SIGKILL');
      await server.ended();
      server = start(next);
      await server.url();
    }
    expect((await ended)[0], await err).to.equal(0);
    const pins = await list(url, apiKey);
    expect(pins).to.have.length(1);
    expect((await out).trim()).to.match(new RegExp(`^${url}/s/[0-9a-f-]{36}$`));
    expect((await fetch((await out).trim())).status).to.equal(200);
    server.process.kill('SIGTERM');
    await server.ended();
  });
});
