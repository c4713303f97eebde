import { OPERATOR, type RoleId } from '@pinfold/core';
import { expect } from 'chai';
import fc from 'fast-check';
import type { ViewerMode } from '../src/index.ts';
import {
  HAND_OVER_PATH,
  hasCookieMark,
  returnPathOf,
  returnQuery,
  withCookieMark,
  withoutCookieMark,
} from '../src/routing/addresses.ts';
import { type Answer, cookiesOf, locationOf } from './client.ts';
import { NAVIGATION, openRig, PASSWORD, type Rig, type RigOptions } from './rig.ts';

const SITE = { 'index.html': '<h1>Harbour</h1>', 'docs/index.html': 'docs', 'app.js': 'run()' };
const MARK = 'pinfold-cookie=1';
const DOCUMENT = { ...NAVIGATION, 'sec-fetch-dest': 'document' };
const TO = '/docs/?q=1&r=a%20b#part';

describe('the mark of a cookie just set', () => {
  it('is added at the end of the query, and removed again', () => {
    for (const [path, marked] of [
      ['/', `/?${MARK}`],
      ['/docs/?', `/docs/?&${MARK}`],
      ['/docs/?q=1', `/docs/?q=1&${MARK}`],
      ['/docs/?q=1#?part', `/docs/?q=1&${MARK}#?part`],
      [`/a&${MARK}`, `/a&${MARK}?${MARK}`],
    ] as const) {
      expect(withCookieMark(path)).to.equal(marked);
      expect(withoutCookieMark(marked), marked).to.equal(path);
    }
    const path = fc.string().map((text) => `/${text}`);
    fc.assert(
      fc.property(path, (text) => {
        expect(withoutCookieMark(withCookieMark(text))).to.equal(withoutCookieMark(text));
      }),
    );
  });

  it('is not found elsewhere in an address', () => {
    for (const path of [
      MARK,
      `/${MARK}`,
      `/&${MARK}`,
      `/?a?${MARK}`,
      `/?${MARK}&a`,
      `/?${MARK}0`,
      `/?x${MARK}`,
    ]) {
      expect(hasCookieMark(path), path).to.equal(false);
      expect(withoutCookieMark(path), path).to.equal(path);
    }
  });

  it('is never in the path to return to', () => {
    expect(returnQuery(`/docs/?q=1&${MARK}&${MARK}`)).to.equal(`?to=${encodeURIComponent('/docs/?q=1')}`);
    expect(returnPathOf(`?to=${encodeURIComponent(`/docs/?${MARK}#part`)}`)).to.equal('/docs/#part');
    const longest = `/${'a'.repeat(2_047)}`;
    expect(returnQuery(withCookieMark(longest))).to.equal(returnQuery(longest));
  });
});

/** As Web Crypto and key services answer. */
const WITH_PROMISES: RigOptions['ports'] = ({ grants }) => ({
  grants: {
    sign: async (grant) => grants.sign(grant),
    verify: async (token) => grants.verify(token),
  },
});

for (const { mode, signer, ports } of [
  { mode: 'origin', signer: 'at once', ports: () => ({}) },
  { mode: 'path', signer: 'at once', ports: () => ({}) },
  { mode: 'origin', signer: 'with promises', ports: WITH_PROMISES },
  { mode: 'path', signer: 'with promises', ports: WITH_PROMISES },
] satisfies { mode: ViewerMode; signer: string; ports: RigOptions['ports'] }[]) {
  describe(`a viewer of a protected site in ${mode} mode, where a signer answers ${signer},`, () => {
    let rig: Rig;
    before(async () => {
      rig = await openRig({ viewer: { mode }, ports });
    });
    after(() => rig.close());

    const shared = (id: string): string => `http://localhost:${rig.port}/s/${id}`;
    const open = (
      url: string,
      headers: Record<string, string> = DOCUMENT,
      method = 'GET',
    ): Promise<Answer> => {
      const { host, pathname, search } = new URL(url);
      return rig.ask(pathname + search, { host, headers, method });
    };
    /** The redirect that sets the cookie which the site needs. */
    async function enter(query = ''): Promise<{ id: RoleId; cookie: string; location: string }> {
      const id = await rig.publish(SITE, PASSWORD);
      const entered = await rig.enter(id, PASSWORD, { query });
      const last = mode === 'path' ? entered : await open(locationOf(entered));
      return { id, cookie: cookiesOf(last), location: locationOf(last) };
    }

    it('is redirected without the mark if the browser sends a cookie of the name, valid or not', async () => {
      const { cookie, location } = await enter(`?to=${encodeURIComponent(TO)}`);
      const unmarked = location.replace(`&${MARK}`, '');
      expect(location).to.equal(`${unmarked.replace('#part', '')}&${MARK}#part`);
      const [name] = cookie.split('=');
      for (const sentCookie of [cookie, `${name}=planted`, `a=b; ${name}=; c`]) {
        const headers = { ...DOCUMENT, cookie: sentCookie };
        for (const method of ['GET', 'HEAD']) {
          const redirected = await open(location, headers, method);
          expect([redirected.status, locationOf(redirected)]).to.deep.equal([
            302,
            unmarked.replace('#part', ''),
          ]);
          expect(redirected.headers['cache-control']).to.equal('no-store');
        }
      }
      expect((await open(unmarked, { ...DOCUMENT, cookie })).text).to.equal('docs');
    });

    it('sees which cookies to allow if the browser sends none', async () => {
      const { id, location } = await enter(`?to=${encodeURIComponent('/docs/?q=1')}`);
      const other = { cookie: 'pinfold_grants=x; other=pinfold_grant' };
      for (const more of [{}, other, { range: 'bytes=0-3' }, { 'if-none-match': '*' }]) {
        const page = await open(location, { ...DOCUMENT, ...more });
        expect(page.status).to.equal(200);
        expect(page.headers).to.include({ 'cache-control': 'no-store', 'content-language': 'en' });
        expect(page.headers).not.to.have.any.keys('set-cookie', 'etag', 'accept-ranges');
        expect(page.text).to.include(`Allow cookies for ${new URL(location).host} `);
        expect(page.text).to.include(`<a href="${shared(id)}?to=${encodeURIComponent('/docs/?q=1')}">`);
        expect(page.text).not.to.include('password');
      }
      const japanese = await open(location, { ...DOCUMENT, 'accept-language': 'ja' });
      expect(japanese.headers['content-language']).to.equal('ja');
      expect(japanese.text).to.include('Cookie を許可してください');
      const head = await open(location, DOCUMENT, 'HEAD');
      expect([head.status, head.text]).to.deep.equal([200, '']);
      expect(rig.log.at(-1)?.outcome).to.equal('cookies_blocked');
    });

    it('gets no byte of a file by the mark', async () => {
      const { id } = await enter();
      const base = mode === 'path' ? shared(id) : `http://${rig.siteHost(id)}`;
      const part = await open(`${base}/app.js?${MARK}`, { accept: '*/*' });
      expect(part.status).to.equal(403);
      expect((await open(`${base}/app.js?${MARK}`)).text).not.to.include('run()');
    });

    it('also gets the mark with a created grant', async () => {
      const id = await rig.publish(SITE, PASSWORD);
      const outcome = await rig.useCases.createGrant({ by: OPERATOR, id });
      if (outcome.kind !== 'granted' || outcome.grant === null) throw new Error(outcome.kind);
      const entrance = mode === 'path' ? shared(id) : `http://${rig.siteHost(id)}${HAND_OVER_PATH}`;
      const taken = await open(
        `${entrance}?grant=${await rig.useCases.grants.sign(outcome.grant)}&to=/docs/`,
      );
      const location = locationOf(taken);
      expect(location.endsWith(`/docs/?${MARK}`), location).to.equal(true);
      expect((await open(location)).text).to.include('Allow cookies');
      const redirected = await open(location, { ...DOCUMENT, cookie: cookiesOf(taken) });
      expect(locationOf(redirected)).to.equal(location.replace(`?${MARK}`, ''));
    });

    it('keeps the same parameter of a site that is open', async () => {
      const id = await rig.publish(SITE);
      const base = mode === 'path' ? shared(id) : `http://${rig.siteHost(id)}`;
      expect((await open(`${base}/?${MARK}`)).text).to.equal(SITE['index.html']);
      expect((await open(`${base}/?${MARK}`, { ...DOCUMENT, cookie: 'pinfold_grant=x' })).status).to.equal(
        200,
      );
    });

    it('keeps the same parameter of a part of a page', async () => {
      const { cookie, location } = await enter();
      const part = new URL(`app.js?${MARK}`, location).href;
      expect((await open(part, { accept: '*/*', cookie })).text).to.equal('run()');
    });

    it('is asked for the password by a shared URL with the mark', async () => {
      const { id } = await enter();
      const page = await open(`${shared(id)}?${MARK}`);
      expect(page.text).to.include('type="password"');
    });
  });
}
