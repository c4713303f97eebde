import { setTimeout as pause } from 'node:timers/promises';
import { Fault, type RoleId, seconds } from '@pinfold/core';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { TEXTS } from '../src/pages/catalogue.ts';
import { type Answer, cookiesOf } from './client.ts';
import { expectPage } from './expect-page.ts';
import { openRig, PASSWORD, type Rig } from './rig.ts';

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
