import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { days } from '../src/index.ts';
import { openTestPinfold, zipOf } from '../src/testing.ts';
import { startStub } from './servers/stub.ts';

const foldersOfTests = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('pinfold-test-pinfold-'));

describe('openTestPinfold', () => {
  it('publishes in memory, captures the events, and expires when the test advances the clock', async () => {
    const before = await foldersOfTests();
    const observed: string[] = [];
    const pinfold = await openTestPinfold({ onEvent: ({ type }) => observed.push(type) });
    const archive = await zipOf({ 'index.html': '<h1>Grüße</h1>', 'img/dot.gif': new Uint8Array(43) });
    const outcome = await pinfold.publish({ by: 'ada', key: 'first', filename: 'site.zip', archive });
    if (outcome.kind !== 'published') throw new Error(outcome.kind);
    const { id, fileCount, expiresAt } = outcome.publication;
    expect([fileCount, expiresAt]).to.deep.equal([2, pinfold.clock.now() + days(7)]);
    const server = await startStub((request, response) => pinfold.viewer(request, response));
    const shared = () => fetch(`${server.url}/s/${id}`, { redirect: 'manual' });
    expect((await shared()).status).to.equal(302);
    pinfold.clock.advance(days(7));
    expect((await shared()).status).to.equal(410);
    await pinfold.useCases.stop({ by: 'ada', id });
    const types = pinfold.capturedEvents.map(({ type }) => type);
    expect(types).to.deep.equal(['pin.published', 'pin.stopped']);
    expect(observed).to.deep.equal(types);
    await server.close();
    await Promise.all([pinfold.close(), pinfold.close()]);
    await pinfold.close();
    expect(await foldersOfTests()).to.deep.equal(before);
  });

  it('receives the rejection of an asynchronous onEvent, like a server', async () => {
    const unhandled: unknown[] = [];
    const record = (reason: unknown): void => void unhandled.push(reason);
    const others = process.rawListeners('unhandledRejection') as NodeJS.UnhandledRejectionListener[];
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', record);
    try {
      const onEvent = () => Promise.reject(new Error('nobody listens'));
      const pinfold = await openTestPinfold({ logLevel: 'silent', onEvent });
      const archive = await zipOf({ 'index.html': '' });
      await pinfold.publish({ by: 'ada', key: 'first', filename: 'site.zip', archive });
      await pinfold.close();
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).to.deep.equal([]);
    } finally {
      process.off('unhandledRejection', record);
      for (const other of others) process.on('unhandledRejection', other);
    }
  });

  it('leaves nothing behind if it cannot be opened', async () => {
    const before = await foldersOfTests();
    const failed = await openTestPinfold({ publicUrl: 'ftp://share.example' }).catch(
      (error: Error) => error.name,
    );
    expect(failed).to.equal('SettingsError');
    expect(await foldersOfTests()).to.deep.equal(before);
  });
});
