import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { accountId, seconds } from '@pinfold/core';
import { Uploads } from '@pinfold/http';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { openScreen } from './open-screen.ts';

describe('an upload to the screen that is slow', () => {
  it('ends with 408 while another account waits, by the script and by a form', async () => {
    const clock = createManualClock();
    const uploads = new Uploads({ clock, places: 1 });
    const screen = await openScreen({ management: { uploads } });
    const person = await screen.signedIn();
    const form = (await person.get('/')).token;
    const { port, hostname } = new URL(screen.base);
    const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const byScript = `X-Pinfold-Form: ${form}\r\nIdempotency-Key: k\r\nX-Pinfold-Filename: a.zip`;
    for (const [path, headers] of [
      ['upload', byScript],
      ['publish', 'Content-Type: multipart/form-data; boundary=x'],
    ]) {
      const socket = connect(Number(port), hostname);
      const head = `POST /manage/${path} HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\nContent-Length: 1000`;
      socket.write(`${head}\r\n${headers}\r\n\r\n--`);
      const answered = once(socket, 'data');
      while (uploads.queue.running === 0) await setImmediate();
      const other = uploads.take(accountId('other'), new AbortController().signal, async () => 'in');
      let isOver = false;
      void other.then(() => {
        isOver = true;
      });
      // The body may be begun a moment after its place was taken.
      for (let n = 0; n < 25 && !isOver; n += 1) {
        await setTimeout(20);
        clock.advance(seconds(1));
      }
      expect(String((await answered)[0]), path).to.match(/^HTTP\/1\.1 408 /);
      expect(await other).to.equal('in');
      socket.destroy();
    }
  });
});
