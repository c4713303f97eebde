import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { Fault, type RoleId, seconds } from '@pinfold/core';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { TEXTS } from '../src/pages/catalogue.ts';
import { type Answer, cookiesOf } from './client.ts';
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

describe('wrong passwords', () => {
  let rig: Rig;
  const guess = (id: RoleId, password: string, address: string): Promise<Answer> =>
    rig.enter(id, password, { headers: { 'x-client': address } });
  before(async () => {
    rig = await openRig({
      viewer: { clientAddress: (request) => String(request.headers['x-client'] ?? '192.0.2.1') },
    });
  });
  after(() => rig.close());

  it('are counted: an IPv6 network as one client, and a mapped IPv4 address as that address', async () => {
    const id = await rig.publish(SITE, PASSWORD);
    for (let host = 0; host < 10; host += 1) await guess(id, 'wrong', `2001:db8:0:7::${host}`);
    expect((await guess(id, PASSWORD, '2001:db8:0:7:ffff::1')).status).to.equal(429);
    expect((await guess(id, PASSWORD, '2001:db8:0:8::1')).status).to.equal(303);
    for (let time = 0; time < 10; time += 1) await guess(id, 'wrong', '::ffff:192.0.2.9');
    expect((await guess(id, PASSWORD, '192.0.2.9')).status).to.equal(429);
  });

  describe('while no password can be checked', () => {
    let crowded: Rig;
    let id: RoleId;
    let failing: (() => Promise<never>) | undefined;
    beforeEach(async () => {
      failing = undefined;
      crowded = await openRig({
        ports: ({ passwords }) => ({
          passwords: {
            hash: (...input) => passwords.hash(...input),
            verify: (...input) => failing?.() ?? passwords.verify(...input),
          },
        }),
      });
      id = await crowded.publish(SITE, PASSWORD);
    });

    const overload = () => Promise.reject(new Fault('hasher_overloaded', 'too many'));

    it('get a 503 page that asks again, uncounted; viewers with a grant are admitted', async () => {
      const inside = { cookie: cookiesOf(await crowded.enter(id, PASSWORD)) };
      failing = overload;
      for (let time = 0; time < 12; time += 1) {
        const answer = await crowded.enter(id, PASSWORD);
        expectPage(answer, 503, { 'retry-after': '10' });
        expect(answer.text).to.contain(TEXTS.busy.en).and.contain('type="password"');
      }
      expect(crowded.log.at(-1)).to.include({ outcome: 'busy' }).and.not.to.have.property('error');
      expect((await crowded.enter(id, PASSWORD, { headers: inside })).status).to.equal(303);
      failing = undefined;
      expect((await crowded.enter(id, PASSWORD)).status).to.equal(303);
    });

    it('get a 404 page if the publication was stopped meanwhile', async () => {
      failing = async () => {
        await crowded.stop(id);
        return overload();
      };
      expectPage(await crowded.enter(id, PASSWORD), 404);
    });

    it('log any other error', async () => {
      for (const [fault, status, headers] of [
        [new Fault('store_unavailable', 'away'), 503, { 'retry-after': '10' }],
        [new TypeError('a defect'), 500, {}],
      ] as const) {
        failing = () => Promise.reject(fault);
        const answer = await crowded.enter(id, PASSWORD);
        expectPage(answer, status, headers);
        expect(answer.text).not.to.contain('type="password"');
        expect(crowded.log.at(-1)?.error).to.equal(fault);
      }
    });
  });

  it('are asked for again in a second after waiting 30 seconds; viewers with a grant do not wait', async () => {
    let isFull = false;
    const full = await openRig({
      ports: ({ attempts }) => ({
        attempts: replacing(attempts, {
          begin: async (...input) => (isFull ? { kind: 'busy' } : attempts.begin(...input)),
        }),
      }),
    });
    const id = await full.publish(SITE, PASSWORD);
    const inside = { cookie: cookiesOf(await full.enter(id, PASSWORD)) };
    isFull = true;
    expect((await full.enter(id, 'any', { headers: inside })).status).to.equal(303);
    let answer: Answer | undefined;
    void full.enter(id, PASSWORD).then((result) => {
      answer = result;
    });
    while (answer === undefined) {
      full.clock.advance(seconds(1));
      await pause(5);
    }
    expectPage(answer, 503, { 'retry-after': '1' });
  });
});
