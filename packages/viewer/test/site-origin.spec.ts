import type { RoleId } from '@pinfold/core';
import { expect } from 'chai';
import { type Answer, cookiesOf, locationOf } from './client.ts';
import { openRig, PASSWORD, type Rig } from './rig.ts';

const SITE = { 'index.html': '<h1>Harbour</h1>', 'app.js': 'run()' };

describe('a site on its own origin', () => {
  let rig: Rig;
  before(async () => {
    rig = await openRig();
  });
  after(() => rig.close());

  /** Follows the hand-over that an answer leads to. */
  const takeOver = (id: RoleId, answer: Answer): Promise<Answer> => {
    const { pathname, search } = new URL(locationOf(answer));
    return rig.askSite(id, pathname + search);
  };
  const enter = async (id: RoleId): Promise<{ cookie: string }> => ({
    cookie: cookiesOf(await takeOver(id, await rig.enter(id, PASSWORD))),
  });

  it('is not reached on the public host', async () => {
    expect((await rig.ask('/index.html')).status).to.equal(404);
  });

  describe('that is protected', () => {
    let id: RoleId;
    beforeEach(async () => {
      id = await rig.publish(SITE, PASSWORD);
    });

    it('is served to a cookie, by any of several', async () => {
      const { cookie } = await enter(id);
      for (const header of [cookie, `pinfold_grant=planted; ${cookie}`, `${cookie}; pinfold_grant=planted`]) {
        const answer = await rig.askSite(id, '/', { headers: { cookie: header } });
        expect([answer.status, answer.text]).to.deep.equal([200, SITE['index.html']]);
      }
    });

    it('hands over for that generation and to that site only', async () => {
      const other = await rig.publish(SITE, PASSWORD);
      const entered = await rig.enter(id, PASSWORD);
      expect((await takeOver(other, entered)).status).to.equal(403);
      await rig.setPassword(id, PASSWORD);
      expect((await takeOver(id, entered)).status).to.equal(403);
    });

    it('takes no grant for another purpose', async () => {
      const entered = await rig.enter(id, PASSWORD);
      const handOver = new URL(locationOf(entered)).searchParams.get('grant');
      const shared = cookiesOf(entered).split('=')[1];
      const inCookie = await rig.askSite(id, '/', { headers: { cookie: `pinfold_grant=${handOver}` } });
      expect(inCookie.status).to.equal(403);
      const path = new URL(locationOf(entered)).pathname;
      expect((await rig.askSite(id, `${path}?grant=${shared}`)).status).to.equal(403);
    });

    it('reads hostile cookies without harm', async () => {
      for (const cookie of [
        '=',
        ';;;;',
        'pinfold_grant',
        'pinfold_grant=;'.repeat(500),
        `pinfold_grant=${'A'.repeat(8_000)}`,
        'pinfold_grant="\\xff%00"; \xff=\xfe',
        '__proto__=1; constructor=2',
      ]) {
        expect((await rig.askSite(id, '/', { headers: { cookie } })).status).to.equal(403);
      }
    });
  });

  it('may register service workers where that is allowed, in either mode', async () => {
    for (const mode of ['origin', 'path'] as const) {
      const allowing = await openRig({ viewer: { mode, serviceWorkers: 'allow' } });
      const id = await allowing.publish(SITE);
      const headers = { 'service-worker': 'script' };
      const answer =
        mode === 'origin'
          ? await allowing.askSite(id, '/app.js', { headers })
          : await allowing.ask(`/s/${id}/app.js`, { headers });
      expect(answer.status).to.equal(200);
    }
  });
});
