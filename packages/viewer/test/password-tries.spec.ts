import { Fault, minutes, type RoleId } from '@pinfold/core';
import { expect } from 'chai';
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

  it('end in a 429 page that says how long, and does not try even the right one', async () => {
    const id = await rig.publish(SITE, PASSWORD);
    const inside = { cookie: cookiesOf(await guess(id, PASSWORD, '192.0.2.7')) };
    for (let time = 0; time < 10; time += 1) expectPage(await guess(id, 'wrong', '192.0.2.7'), 403);
    rig.clock.advance(minutes(1));
    const answer = await guess(id, PASSWORD, '192.0.2.7');
    expectPage(answer, 429);
    expect(answer.headers['retry-after']).to.equal('240');
    expect(answer.text).to.contain('4 minutes');
    expect((await guess(id, PASSWORD, '192.0.2.8')).status).to.equal(303);
    expect((await rig.ask(`/s/${id}`, { headers: inside })).status).to.equal(302);
    const again = await rig.enter(id, PASSWORD, { headers: { 'x-client': '192.0.2.7', ...inside } });
    expect(again.status).to.equal(303);
    rig.clock.advance(minutes(4));
    expect((await guess(id, PASSWORD, '192.0.2.7')).status).to.equal(303);
  });

  it('are counted: an IPv6 network as one client, and a mapped IPv4 address as that address', async () => {
    const id = await rig.publish(SITE, PASSWORD);
    for (let host = 0; host < 10; host += 1) await guess(id, 'wrong', `2001:db8:0:7::${host}`);
    expect((await guess(id, PASSWORD, '2001:db8:0:7:ffff::1')).status).to.equal(429);
    expect((await guess(id, PASSWORD, '2001:db8:0:8::1')).status).to.equal(303);
    for (let time = 0; time < 10; time += 1) await guess(id, 'wrong', '::ffff:192.0.2.9');
    expect((await guess(id, PASSWORD, '192.0.2.9')).status).to.equal(429);
  });

  it('are none when they were right', async () => {
    const id = await rig.publish(SITE, PASSWORD);
    for (let time = 0; time < 12; time += 1) {
      expect((await guess(id, PASSWORD, '192.0.2.10')).status).to.equal(303);
    }
  });

  it('are a 503 page when too many passwords wait, and the try is not counted', async () => {
    let busy = true;
    const crowded = await openRig({
      ports: ({ passwords }) => ({
        passwords: {
          hash: (password, signal) => passwords.hash(password, signal),
          verify: (guess, hash, signal) =>
            busy
              ? Promise.reject(new Fault('hasher_overloaded', 'too many'))
              : passwords.verify(guess, hash, signal),
        },
      }),
    });
    const id = await crowded.publish(SITE, PASSWORD);
    for (let time = 0; time < 12; time += 1) {
      const answer = await crowded.enter(id, PASSWORD);
      expectPage(answer, 503);
      expect(answer.headers['retry-after']).to.match(/^\d+$/);
    }
    busy = false;
    expect((await crowded.enter(id, PASSWORD)).status).to.equal(303);
    await crowded.close();
  });
});
