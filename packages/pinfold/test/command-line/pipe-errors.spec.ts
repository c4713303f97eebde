import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { type Env, spawnCommand } from '../command-run.ts';
import { type Stub, startStub } from '../servers/stub.ts';

/** More than the buffer of a pipe that no one reads. */
const PINS = 3_000;

/** The only page of an API, as the command requests it. */
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

describe('the output of a command', () => {
  let server: Stub;
  let env: Env;

  beforeEach(async () => {
    server = await startStub((_, response) => {
      response.setHeader('content-type', 'application/json').end(LISTING);
    });
    env = { PINFOLD_URL: server.url, PINFOLD_KEY: 'any' };
  });

  it('arrives completely in a pipe with a slow reader', async () => {
    for (const json of [true, false]) {
      const child = spawnCommand(env, 'list', ...(json ? ['--json'] : []));
      const exit = once(child, 'exit');
      const out = await text(child.stdout);
      if (json) expect((JSON.parse(out) as { pins: unknown[] }).pins).to.have.length(PINS);
      else expect(out.trimEnd().split('\n')).to.have.length(PINS);
      expect(await exit).to.deep.equal([0, null]);
    }
  });

  it('may be read in part, without a message', async () => {
    const child = spawnCommand(env, 'list');
    const output = text(child.stderr as NodeJS.ReadableStream);
    const exit = once(child, 'exit');
    await once(child.stdout, 'readable');
    child.stdout.read();
    child.stdout.destroy();
    expect(await exit).to.deep.equal([1, null]);
    expect(await output).to.equal('');
  });
});
