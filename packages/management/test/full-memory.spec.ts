import { outgoingBytes } from '@pinfold/http/internal';
import { expect } from 'chai';
import { openScreen } from './open-screen.ts';

describe('while too many bytes of answers wait for slow clients', () => {
  const { memory } = outgoingBytes;

  afterEach(() => {
    outgoingBytes.memory = memory;
  });

  it('answers over 64 KiB are 503 with Retry-After: 1, and smaller pages are sent', async () => {
    const screen = await openScreen();
    const person = await screen.signedIn();
    for (let count = 0; count < 40; count += 1) await screen.publish('&'.repeat(200));
    const { text } = await person.get('/');
    const script = /\/manage(\/assets\/publish-[^"]+\.js)"/.exec(text)?.[1] ?? '';
    const identity = { 'accept-encoding': 'identity' };
    outgoingBytes.memory = 0;
    outgoingBytes.countLoaded(1);
    try {
      for (const path of ['/', script]) {
        const { status, headers } = await person.get(path, identity);
        expect([status, headers.get('retry-after')], path).to.deep.equal([503, '1']);
      }
      expect((await person.get('/keys')).status).to.equal(200);
    } finally {
      outgoingBytes.countLoaded(-1);
    }
    for (const path of ['/', script]) {
      const { status, text } = await person.get(path, identity);
      expect([status, text.length > 65_536], path).to.deep.equal([200, true]);
    }
    expect(screen.log.filter(({ status }) => status === 503).map(({ error }) => error)).to.deep.equal([
      undefined,
    ]);
  });
});
