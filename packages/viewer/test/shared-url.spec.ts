import { minutes, OPERATOR, type RoleId } from '@pinfold/core';
import { expect } from 'chai';
import { cookiesOf, locationOf } from './client.ts';
import { expectPage, expectRedirect } from './expect-page.ts';
import { FORM, openRig, PASSWORD, type Rig } from './rig.ts';

const UNKNOWN = '0b5f1c9e-7d0a-4c53-9a51-3d2f8b7e6a10';
const SITE = { 'index.html': '<h1>Harbour</h1>', 'docs/index.html': 'docs' };

describe('the shared URL', () => {
  let rig: Rig;
  before(async () => {
    rig = await openRig();
  });
  after(() => rig.close());

  const site = (id: RoleId): string => `http://${rig.siteHost(id)}`;

  describe('of an open publication', () => {
    let id: RoleId;
    before(async () => {
      id = await rig.publish(SITE);
    });

    it('leads to the site', async () => {
      const answer = await rig.ask(`/s/${id}`);
      expectRedirect(answer, 302, `${site(id)}/`);
    });

    it('leads to the path first asked for', async () => {
      const answer = await rig.ask(`/s/${id}?to=%2Fdocs%2F%3Fq%3D1`);
      expect(locationOf(answer)).to.equal(`${site(id)}/docs/?q=1`);
    });

    it('leads nowhere else, whatever Host, forwarding headers and `to` say', async () => {
      const headers = {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        forwarded: 'host=e',
      };
      const answer = await rig.ask(`/s/${id}?to=%2F%2Fevil.example`, { host: 'evil.example', headers });
      expect(locationOf(answer)).to.equal(`${site(id)}/`);
    });

    it('answers HEAD like GET, and any method but POST with 405', async () => {
      const head = await rig.ask(`/s/${id}`, { method: 'HEAD' });
      expect([head.status, locationOf(head)]).to.deep.equal([302, `${site(id)}/`]);
      for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        const answer = await rig.ask(`/s/${id}`, { method });
        expectPage(answer, 405, { allow: 'GET, HEAD, POST' });
      }
    });

    it('leads to the path that follows it, by the rules of `to`', async () => {
      const led = async (after: string): Promise<string> => locationOf(await rig.ask(`/s/${id}${after}`));
      expect(await led('/docs/?q=1&to=/x')).to.equal(`${site(id)}/docs/?q=1&to=/x`);
      expect(await led('/a%20b')).to.equal(`${site(id)}/a%20b`);
      for (const after of ['/', '//evil.example/', '/\\evil.example/', `/${'a'.repeat(2_048)}`]) {
        expect(await led(after), after).to.equal(`${site(id)}/`);
      }
      const upper = await rig.ask(`/s/${id.toUpperCase()}/docs/?q`);
      expectRedirect(upper, 302, `http://localhost:${rig.port}/s/${id}/docs/?q`);
      expectPage(await rig.ask(`/s/${UNKNOWN}/docs/`), 404);
    });

    it('takes a password as none is needed', async () => {
      const answer = await rig.enter(id, 'whatever it is', { query: '?to=/docs/' });
      expectRedirect(answer, 303, `${site(id)}/docs/`);
    });

    it('in another letter case leads to the lower-case one, query and all', async () => {
      const answer = await rig.ask(`/s/${id.toUpperCase()}?to=/docs/`);
      const lower = `http://localhost:${rig.port}/s/${id}?to=/docs/`;
      expectRedirect(answer, 302, lower);
    });
  });

  describe('that leads nowhere', () => {
    it('is one and the same 404 page when unknown, malformed or stopped', async () => {
      const stopped = await rig.publish(SITE);
      await rig.stop(stopped);
      const pages = new Set<string>();
      for (const path of [UNKNOWN, stopped, 'x', '', `${UNKNOWN}/`, `${UNKNOWN}x`, '%00', '..']) {
        const answer = await rig.ask(`/s/${path}`);
        expectPage(answer, 404);
        pages.add(answer.text);
      }
      expect(pages).to.have.length(1);
    });

    it('is a 410 page when expired', async () => {
      const id = await rig.publish(SITE);
      rig.clock.advance(rig.useCases.limits.lifetime);
      expectPage(await rig.ask(`/s/${id}`), 410);
      expectPage(await rig.enter(id, PASSWORD), 410);
    });

    it('takes no password either', async () => {
      expectPage(await rig.enter(UNKNOWN as RoleId, PASSWORD), 404);
    });
  });

  describe('of a protected publication', () => {
    let id: RoleId;
    beforeEach(async () => {
      id = await rig.publish(SITE, PASSWORD);
    });

    it('asks for the password, in the language that is read', async () => {
      const english = await rig.ask(`/s/${id}`);
      expectPage(english, 200);
      expect(english.text).to.contain('<html lang="en">').and.to.contain('type="password"');
      const japanese = await rig.ask(`/s/${id}`, {
        headers: { 'accept-language': 'fr, ja;q=0.9, en;q=0.1' },
      });
      expectPage(japanese, 200);
      expect(japanese.text).to.contain('<html lang="ja">').and.to.contain('パスワード');
    });

    it('answers HEAD with the length of the page, and no page', async () => {
      const get = await rig.ask(`/s/${id}`);
      const head = await rig.ask(`/s/${id}`, { method: 'HEAD' });
      expect([head.status, head.body.length]).to.deep.equal([200, 0]);
      expect(head.headers['content-length']).to.equal(get.headers['content-length']);
    });

    it('asks again after a wrong password, with 403', async () => {
      const answer = await rig.enter(id, 'harbour light');
      expectPage(answer, 403);
      expect(answer.text).to.contain('role="alert"').and.not.to.contain('harbour light');
    });

    it('leads on after the right one, with a cookie for itself', async () => {
      const answer = await rig.enter(id, PASSWORD);
      expect(answer.status).to.equal(303);
      expect(answer.headers['cache-control']).to.equal('no-store');
      expect(locationOf(answer)).to.match(new RegExp(`^http://${rig.siteHost(id)}/`));
      const [cookie, ...more] = answer.headers['set-cookie'] ?? [];
      expect(more).to.deep.equal([]);
      expect(cookie).to.match(
        new RegExp(`^pinfold_grant=[\\w.-]+; Path=/s/${id}; Max-Age=43200; HttpOnly; SameSite=Lax$`),
      );
    });

    it('goes straight on when it is opened again with that cookie', async () => {
      const cookie = cookiesOf(await rig.enter(id, PASSWORD));
      const planted = `pinfold_grant=planted; ${cookie}; pinfold_grant=`;
      const answer = await rig.ask(`/s/${id}`, { headers: { cookie: planted } });
      expect(answer.status).to.equal(302);
      expect(locationOf(answer)).to.match(new RegExp(`^http://${rig.siteHost(id)}/`));
    });

    it('asks again once the cookie is over: by time, by a change of the password, by a reset', async () => {
      const enter = async () => ({ cookie: cookiesOf(await rig.enter(id, PASSWORD)) });
      const status = async (headers: { cookie: string }) => (await rig.ask(`/s/${id}`, { headers })).status;
      const changed = await enter();
      await rig.setPassword(id, PASSWORD);
      expect(await status(changed)).to.equal(200);
      const reset = await enter();
      await rig.useCases.update({ by: OPERATOR, id }, { type: 'reset_expiration' });
      expect(await status(reset)).to.equal(200);
      const old = await enter();
      rig.clock.advance(minutes(12 * 60 - 1));
      expect(await status(old)).to.equal(302);
      rig.clock.advance(minutes(1));
      expect(await status(old)).to.equal(200);
    });

    it('gives a cookie that lives no longer than the publication', async () => {
      rig.clock.advance(minutes(7 * 24 * 60 - 30));
      const [cookie] = (await rig.enter(id, PASSWORD)).headers['set-cookie'] ?? [];
      expect(cookie).to.contain('; Max-Age=1800;');
    });
  });

  it('has prefixed, Secure cookies under https, below the path of the public URL', async () => {
    const secure = await openRig({
      viewer: { publicUrl: 'https://share.example/pins', sitesUrl: 'https://sites.example' },
    });
    const id = await secure.publish(SITE, PASSWORD);
    const answer = await secure.ask(`/pins/s/${id}`, {
      method: 'POST',
      headers: { ...FORM, origin: 'https://share.example' },
      body: `password=${encodeURIComponent(PASSWORD)}`,
    });
    expect(answer.headers['set-cookie']?.[0]).to.match(
      new RegExp(
        `^__Secure-pinfold_grant=[^;]+; Path=/pins/s/${id}; Max-Age=43200; HttpOnly; Secure; SameSite=Lax$`,
      ),
    );
    const over = new URL(locationOf(answer));
    expect(over.origin).to.equal(`https://${id}.sites.example`);
    const host = over.host;
    const taken = await secure.ask(over.pathname + over.search, { host });
    expect(taken.headers['set-cookie']?.[0]).to.match(
      /^__Host-pinfold_grant=[^;]+; Path=\/; Max-Age=43200; HttpOnly; Secure; SameSite=Lax$/,
    );
    const cookie = cookiesOf(taken);
    expect((await secure.ask('/', { host, headers: { cookie } })).text).to.equal(SITE['index.html']);
    expect((await secure.ask(`/s/${id}`)).status).to.equal(404);
    await secure.close();
  });
});
