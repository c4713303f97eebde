import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { duration } from '@pinfold/core';
import { tokens } from '@pinfold/inversify';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { expect } from 'chai';
import { list, publish } from '../servers/api-calls.ts';
import { startChild } from '../servers/child-server.ts';
import { type Served, serve } from '../servers/served.ts';

const { text: apiKey } = new NodeApiKeySecrets().mint();

describe('a publication whose process is killed', function () {
  this.timeout(180_000);
  let folder: string;
  let survivor: Served;
  let url: string;

  beforeEach(async () => {
    survivor = await serve({ PINFOLD_API_KEY: apiKey }, { limits: { orphanAge: duration(0) } });
    ({ url, folder } = survivor);
  });

  afterEach(() => survivor.close());

  async function killAt(hang: string): Promise<void> {
    const child = startChild(
      { PINFOLD_DATA_DIR: folder, PINFOLD_WELCOME: 'off', PINFOLD_API_KEY: apiKey, HANG: hang },
      'serve-until-killed.ts',
    );
    const childUrl = await child.url();
    const answer = publish(childUrl, apiKey, 'the key').then(
      ({ status }) => status,
      () => 'no answer',
    );
    await child.said(/^hanging$/m);
    child.process.kill('SIGKILL');
    await child.ended();
    expect(await answer).to.equal('no answer');
  }

  /** Sends it again as a client does, until the dead process's lease has lapsed. */
  async function retry(): Promise<number> {
    for (;;) {
      const { status } = await publish(url, apiKey, 'the key');
      if (status !== 409) return status;
    }
  }

  async function expectNothingLeft(): Promise<void> {
    const useCases = survivor.app.container.get(tokens.useCases);
    await useCases.cleanUp({ force: true });
    expect(await survivor.app.container.get(tokens.archives).list(undefined, 10)).to.have.length(1);
    expect(await readdir(join(folder, 'staging'))).to.deep.equal([]);
  }

  const uncommitted = [
    'before receive',
    'after receive',
    'before reserve',
    'after reserve',
    'before list',
    'before prove',
    'after prove',
    'before put',
    'after put',
    'before commit',
  ];
  for (const moment of uncommitted) {
    it(`${moment}: is nowhere to be seen, and its key is good for a retry`, async () => {
      await killAt(moment);
      expect(await list(url, apiKey)).to.deep.equal([]);
      expect(await retry()).to.equal(201);
      expect(await list(url, apiKey)).to.have.length(1);
      await expectNothingLeft();
    });
  }

  it('after commit: is published, and a retry tells of it', async () => {
    await killAt('after commit');
    expect(await list(url, apiKey)).to.have.length(1);
    expect(await retry()).to.equal(200);
    expect(await list(url, apiKey)).to.have.length(1);
    await expectNothingLeft();
  });
});
