import { minutes, type RoleId, seconds } from '@pinfold/core';
import { expect } from 'chai';
import { type Answer, cookiesOf, locationOf } from './client.ts';
import { expectPage, FORGET } from './expect-page.ts';
import { NAVIGATION, openRig, PASSWORD, type Rig } from './rig.ts';

const UNKNOWN = '0b5f1c9e-7d0a-4c53-9a51-3d2f8b7e6a10' as RoleId;
const SITE = {
  'index.html': '<h1>Harbour</h1>',
  'about.html': 'about',
  'docs/index.html': 'docs',
  'app.js': 'run()',
};

function expectNothingOfTheFile(answer: Answer): void {
  expect(answer.headers).not.to.have.any.keys('etag', 'accept-ranges', 'content-encoding', 'content-range');
  expect(answer.headers['cache-control']).to.equal('no-store');
  expect(answer.headers['content-length']).not.to.equal(String(SITE['index.html'].length));
  expect(answer.text).not.to.contain('Harbour');
}

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

  describe('that is open', () => {
    let id: RoleId;
    before(async () => {
      id = await rig.publish(SITE);
    });

    it('is reached by any letter case and whatever the path', async () => {
      const host = rig.siteHost(id).toUpperCase();
      expect((await rig.ask('/', { host })).status).to.equal(200);
      for (const path of [`/s/${id}`, '/api/v1/pins', '/healthz', '/openapi.json']) {
        expect((await rig.askSite(id, path)).status, path).to.equal(404);
      }
    });

    it('is not reached on the public host', async () => {
      expect((await rig.ask(`/s/${id}/index.html`)).status).to.equal(404);
      expect((await rig.ask('/index.html')).status).to.equal(404);
    });

    it('leads to the folder, keeping the query', async () => {
      const answer = await rig.askSite(id, '/docs?page=1&to=/x');
      expect(answer.status).to.equal(308);
      expect(locationOf(answer)).to.equal(`http://${rig.siteHost(id)}/docs/?page=1&to=/x`);
      expect(answer.headers['cache-control']).to.equal('no-store');
    });

    it('is only looked at', async () => {
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const answer = await rig.askSite(id, '/', { method });
        expect([answer.status, answer.headers.allow]).to.deep.equal([405, 'GET, HEAD']);
      }
    });

    it('gives no script to a service worker', async () => {
      for (const headers of [{ 'service-worker': 'script' }, { 'sec-fetch-dest': 'serviceworker' }]) {
        const answer = await rig.askSite(id, '/app.js', { headers });
        expect(answer.status).to.equal(403);
        expect(answer.headers['cache-control']).to.equal('no-store');
      }
    });
  });

  describe('that is protected', () => {
    let id: RoleId;
    beforeEach(async () => {
      id = await rig.publish(SITE, PASSWORD);
    });

    it('sends a navigation to the shared URL, with the path first asked for', async () => {
      const answer = await rig.askSite(id, '/docs/?q=1', { headers: NAVIGATION });
      expect(answer.status).to.equal(302);
      const shared = `http://localhost:${rig.port}/s/${id}?to=${encodeURIComponent('/docs/?q=1')}`;
      expect(locationOf(answer)).to.equal(shared);
      expectNothingOfTheFile(answer);
    });

    it('answers everything else with 403 and nothing of the file, there or not', async () => {
      const there = await rig.askSite(id, '/');
      const not = await rig.askSite(id, '/nothing.png');
      for (const answer of [
        there,
        not,
        await rig.askSite(id, '/', { method: 'HEAD' }),
        await rig.askSite(id, '/', { headers: { 'if-none-match': '*', range: 'bytes=0-1' } }),
        await rig.askSite(id, '/docs'),
      ]) {
        expect(answer.status).to.equal(403);
        expectNothingOfTheFile(answer);
      }
      expect(there.text).to.equal(not.text);
    });

    it('takes the grant over, once the password was given, and goes on to where the viewer wanted', async () => {
      const entered = await rig.enter(id, PASSWORD, { query: '?to=/docs/%3Fq' });
      const answer = await takeOver(id, entered);
      expect([answer.status, locationOf(answer)]).to.deep.equal([302, `http://${rig.siteHost(id)}/docs/?q`]);
      expect(answer.headers).to.include({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
      expect(answer.headers['set-cookie']).to.have.length(1);
      expect(answer.headers['set-cookie']?.[0]).to.match(
        /^pinfold_grant=[\w.-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/,
      );
    });

    it('is served to a cookie, by any of several', async () => {
      const { cookie } = await enter(id);
      for (const header of [cookie, `pinfold_grant=planted; ${cookie}`, `${cookie}; pinfold_grant=planted`]) {
        const answer = await rig.askSite(id, '/', { headers: { cookie: header } });
        expect([answer.status, answer.text]).to.deep.equal([200, SITE['index.html']]);
      }
    });

    it('hands over for one minute only', async () => {
      const entered = await rig.enter(id, PASSWORD);
      rig.clock.advance(seconds(60));
      const late = await takeOver(id, entered);
      expect([late.status, late.headers['set-cookie']]).to.deep.equal([403, undefined]);
      const { pathname, search } = new URL(locationOf(entered));
      const person = await rig.askSite(id, pathname + search, { headers: NAVIGATION });
      expect(locationOf(person)).to.equal(`http://localhost:${rig.port}/s/${id}?to=%2F`);
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

    it('keeps the time of the password: no hand-over makes a grant younger', async () => {
      const entered = await rig.enter(id, PASSWORD);
      rig.clock.advance(minutes(11 * 60));
      const again = await rig.ask(`/s/${id}`, { headers: { cookie: cookiesOf(entered) } });
      const taken = await takeOver(id, again);
      expect(taken.headers['set-cookie']?.[0]).to.contain('; Max-Age=3600;');
      rig.clock.advance(minutes(60));
      expect((await rig.askSite(id, '/', { headers: { cookie: cookiesOf(taken) } })).status).to.equal(403);
    });

    it('cuts every viewer off at the next request after a change', async () => {
      const headers = await enter(id);
      expect((await rig.askSite(id, '/', { headers })).status).to.equal(200);
      await rig.setPassword(id, 'another password');
      expect((await rig.askSite(id, '/', { headers })).status).to.equal(403);
    });

    it('needs no grant once the protection was removed, and other headers', async () => {
      await rig.setPassword(id, null);
      const answer = await rig.askSite(id, '/');
      expect(answer.headers['cache-control']).to.equal('no-cache');
      expect(answer.headers).not.to.have.property('cross-origin-resource-policy');
    });

    it('gives no script to a service worker, grant or not', async () => {
      const headers = { ...(await enter(id)), 'service-worker': 'script' };
      expect((await rig.askSite(id, '/app.js', { headers })).status).to.equal(403);
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

  describe('that has ended', () => {
    it('says so, and takes away what the browser kept of it, but no cookie of a sibling', async () => {
      const stopped = await rig.publish(SITE);
      expect((await rig.askSite(stopped, '/')).status).to.equal(200);
      await rig.stop(stopped);
      const expired = await rig.publish(SITE);
      rig.clock.advance(rig.useCases.limits.lifetime);
      for (const [id, status] of [
        [stopped, 404],
        [UNKNOWN, 404],
        [expired, 410],
      ] as const) {
        for (const path of ['/', '/app.js', '/nothing']) {
          expectPage(await rig.askSite(id, path, { headers: NAVIGATION }), status, FORGET);
        }
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
      await allowing.close();
    }
  });
});
