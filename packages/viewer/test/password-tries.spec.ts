import { type ClientRequest, request } from 'node:http';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { Fault, type RoleId, seconds } from '@pinfold/core';
import { expect } from 'chai';
import { catalogues } from '../src/pages/catalogue.ts';
import { type Answer, cookiesOf } from './client.ts';
import { expectPage } from './expect-page.ts';
import { FORM, openRig, PASSWORD, type Rig } from './rig.ts';

const SITE = { 'index.html': '<h1>Harbour</h1>' };

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

  describe('while none can be looked at', () => {
    let crowded: Rig;
    let id: RoleId;
    let failing: (() => Promise<never>) | undefined;
    beforeEach(async () => {
      failing = undefined;
      crowded = await openRig({
        ports: ({ passwords }) => ({
          passwords: {
            hash: (...what) => passwords.hash(...what),
            verify: (...what) => failing?.() ?? passwords.verify(...what),
          },
        }),
      });
      id = await crowded.publish(SITE, PASSWORD);
    });

    const overload = () => Promise.reject(new Fault('hasher_overloaded', 'too many'));

    it('are asked for again in a 503 page, and the try is not counted; who holds a grant is let in', async () => {
      const inside = { cookie: cookiesOf(await crowded.enter(id, PASSWORD)) };
      failing = overload;
      for (let time = 0; time < 12; time += 1) {
        const answer = await crowded.enter(id, PASSWORD);
        expectPage(answer, 503, { 'retry-after': '10' });
        expect(answer.text).to.contain(catalogues.en.busy).and.contain('type="password"');
      }
      expect(crowded.log.at(-1)).to.include({ outcome: 'busy' }).and.not.to.have.property('error');
      expect((await crowded.enter(id, PASSWORD, { headers: inside })).status).to.equal(303);
      failing = undefined;
      expect((await crowded.enter(id, PASSWORD)).status).to.equal(303);
    });

    it('are a 404 page when the publication was stopped meanwhile', async () => {
      failing = async () => {
        await crowded.stop(id);
        return overload();
      };
      expectPage(await crowded.enter(id, PASSWORD), 404);
    });

    it('are an error in the log when it is another one', async () => {
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

  it('are hashed and counted when the viewer has left', async () => {
    const { slow, hasher } = await openSlow();
    const id = await slow.publish(SITE, PASSWORD);
    const guesses = Array.from({ length: 10 }, () => post(slow, id, 'wrong'));
    while (hasher.held.length < 10) await nextTurn();
    for (const guess of guesses) guess.destroy();
    while (slow.log.filter(({ status }) => status === 499).length < 10) await nextTurn();
    hasher.release();
    while ((await slow.enter(id, PASSWORD)).status !== 429) await nextTurn();
    expect(slow.log.some(({ error }) => error !== undefined)).to.equal(false);
  });

  it('keep others waiting while they are looked at, for 30 seconds, and no viewer who holds a grant', async () => {
    const { slow, hasher } = await openSlow();
    const id = await slow.publish(SITE, PASSWORD);
    const first = slow.enter(id, PASSWORD);
    while (hasher.held.length < 1) await nextTurn();
    hasher.release();
    const inside = { cookie: cookiesOf(await first) };
    const guesses = Array.from({ length: 10 }, () => slow.enter(id, 'wrong'));
    while (hasher.held.length < 10) await nextTurn();
    expect((await slow.enter(id, 'any', { headers: inside })).status).to.equal(303);
    const waiting = slow.enter(id, PASSWORD);
    let answered = false;
    void waiting.then(() => {
      answered = true;
    });
    while (!answered) {
      slow.clock.advance(seconds(1));
      await pause(5);
    }
    const answer = await waiting;
    expectPage(answer, 503, { 'retry-after': '1' });
    hasher.release();
    expect((await Promise.all(guesses)).map(({ status }) => status)).to.deep.equal(guesses.map(() => 403));
  });
});

/** A viewer whose passwords are compared when the test says so. */
async function openSlow() {
  const held: (() => void)[] = [];
  const slow = await openRig({
    ports: ({ passwords }) => ({
      passwords: {
        hash: (...what) => passwords.hash(...what),
        verify: async (...what) => {
          await new Promise<void>((resolve) => held.push(resolve));
          return await passwords.verify(...what);
        },
      },
    }),
  });
  const release = (): void => {
    for (const go of held.splice(0)) go();
  };
  return { slow, hasher: { held, release } };
}

/** Sends the form, and leaves the answer to whoever wants it. */
function post({ port }: Rig, id: RoleId, password: string): ClientRequest {
  const body = new URLSearchParams({ password }).toString();
  const sent = request({ port, path: `/s/${id}`, method: 'POST', headers: FORM, agent: false });
  sent.on('error', () => {}).end(body);
  return sent;
}
