import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { spawnCommand } from '../command-run.ts';

/** More than the system keeps for a pipe that nobody reads. */
const PINS = 3_000;

/** The one page of an API, as its command asks for it. */
const LISTING = JSON.stringify({
  pins: Array.from({ length: PINS }, (_, n) => ({
    id: crypto.randomUUID(),
    shared_url: `https://share.example/s/${n}`,
    state: 'published',
    expires_at: null,
    title: 'A title of some length, as people give them. '.repeat(10),
    original_filename: 'site.zip',
  })),
  next_cursor: null,
});

describe('what a command writes', () => {
  let server: Server;
  let env: Record<string, string>;

  beforeEach(async () => {
    server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json').end(LISTING);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    env = { PINFOLD_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, PINFOLD_KEY: 'any' };
  });

  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it('arrives whole in a pipe, whose reader may be slow', async () => {
    for (const json of [true, false]) {
      const child = spawnCommand(env, 'list', ...(json ? ['--json'] : []));
      const exit = once(child, 'exit');
      const out = await text(child.stdout);
      if (json) expect((JSON.parse(out) as { pins: unknown[] }).pins).to.have.length(PINS);
      else expect(out.trimEnd().split('\n')).to.have.length(PINS);
      expect(await exit).to.deep.equal([0, null]);
    }
  });

  it('may be read in part, without a word', async () => {
    const child = spawnCommand(env, 'list');
    const said = text(child.stderr as NodeJS.ReadableStream);
    const exit = once(child, 'exit');
    await once(child.stdout, 'readable');
    child.stdout.read();
    child.stdout.destroy();
    expect(await exit).to.deep.equal([1, null]);
    expect(await said).to.equal('');
  });
});
