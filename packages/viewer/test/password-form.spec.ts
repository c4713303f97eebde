import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { type RoleId, seconds } from '@pinfold/core';
import { expect } from 'chai';
import { expectPage } from './expect-page.ts';
import { openRig, PASSWORD, type Rig } from './rig.ts';

const SITE = { 'index.html': '<h1>Harbour</h1>' };

describe('the password form', () => {
  let rig: Rig;
  let id: RoleId;
  before(async () => {
    rig = await openRig();
    id = await rig.publish(SITE, PASSWORD);
  });
  after(() => rig.close());

  /** Begins to send the form on a connection of its own. */
  function begin(...headers: string[]): Socket {
    const type = 'Content-Type: application/x-www-form-urlencoded';
    const socket = connect(rig.port, '127.0.0.1');
    socket.write([`POST /s/${id} HTTP/1.1`, 'Host: x', type, ...headers, '\r\n'].join('\r\n'));
    return socket;
  }

  it('may be 4 KiB, and its type may have parameters', async () => {
    const body = `password=${'a'.repeat(4_087)}`;
    const headers = { 'content-type': 'Application/X-WWW-Form-Urlencoded; charset=UTF-8' };
    const answer = await rig.ask(`/s/${id}`, { method: 'POST', headers, body });
    expectPage(answer, 403);
  });

  it('gets a 413 page before its end, and the rest is drained', async () => {
    const socket = begin('Transfer-Encoding: chunked');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    const chunk = `2000\r\n${'a'.repeat(0x2000)}\r\n`;
    socket.write(chunk);
    while (!text.includes('</html>')) await once(socket, 'data');
    expect(text).to.match(/^HTTP\/1\.1 413 /);
    for (let n = 0; n < 200; n += 1) socket.write(chunk);
    socket.write(`0\r\n\r\nGET /s/${id} HTTP/1.1\r\nHost: x\r\n\r\n`);
    while (!/HTTP\/1\.1 200 /.test(text)) await once(socket, 'data');
    socket.destroy();
  });

  it('is neither counted nor answered if its client leaves before the end', async () => {
    rig.log.length = 0;
    const socket = begin('Expect: 100-continue', 'Content-Length: 40');
    await once(socket, 'data');
    socket.write('password=', () => socket.destroy());
    await once(socket, 'close');
    while (rig.log.length === 0) await setImmediate();
    const [{ status, outcome, error } = {}, ...more] = rig.log;
    expect([status, outcome, error, more]).to.deep.equal([499, undefined, undefined, []]);
  });

  it('gets a 408 page if it is not complete after 30 seconds, and the connection closes', async () => {
    for (const drip of [false, true]) {
      const socket = begin('Expect: 100-continue', 'Content-Length: 4000');
      await once(socket, 'data');
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('error', () => {});
      const closed = once(socket, 'close');
      for (let n = 0; n < 4; n += 1) {
        if (drip) socket.write('password=');
        await setImmediate();
        expect(text).to.equal('');
        if (n < 3) rig.clock.advance(seconds(9));
      }
      rig.clock.advance(seconds(3));
      await closed;
      expect(text)
        .to.match(/^HTTP\/1\.1 408 /)
        .and.match(/connection: close/i);
    }
  });
});
