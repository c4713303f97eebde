import type { IncomingHttpHeaders } from 'node:http';
import type { RoleId } from '@pinfold/core';
import { expect } from 'chai';
import { type Answer, type Ask, cookiesOf, locationOf, unmarkedLocationOf } from './client.ts';
import { CROSS_ORIGIN_NO_REFERRER, expectLine, expectPage, expectRedirect, FORGET } from './expect-page.ts';
import { FORM, NAVIGATION, openRig, PASSWORD, type Rig } from './rig.ts';

const UNKNOWN = '0b5f1c9e-7d0a-4c53-9a51-3d2f8b7e6a10' as RoleId;
const SITE = { 'index.html': 'home', 'docs/index.html': 'docs' };
const JAR = { cookie: `c=${'x'.repeat(12_400)}` };
const MARK = '?pinfold-cookie=1';
const SCRIPT = { 'service-worker': 'script' };
const UNNAMED = { 'referrer-policy': 'no-referrer' };
const CROSS_ORIGIN = { ...CROSS_ORIGIN_NO_REFERRER, 'referrer-policy': 'same-origin' };
const SERVICE_WORKER = 'No service workers here';
const PASSWORD_REQUIRED = 'Password required';

/** A request, its expected answer, and its name in the log. */
type Row = readonly [answer: Promise<Answer>, expected: (answer: Answer) => void, outcome?: string];

const page =
  (...how: [status: number, more?: IncomingHttpHeaders]) =>
  (answer: Answer) =>
    expectPage(answer, ...how);
const line =
  (...how: [line: string, more?: IncomingHttpHeaders]) =>
  (answer: Answer) =>
    expectLine(answer, ...how);
const redirect =
  (...how: [status: number, location: string, more?: IncomingHttpHeaders]) =>
  (answer: Answer) =>
    expectRedirect(answer, ...how);

/** Each is requested alone. */
async function expectRows(rig: Rig, rows: Readonly<Record<string, () => Row>>): Promise<void> {
  for (const [what, row] of Object.entries(rows)) {
    rig.log.length = 0;
    const [answer, expected, outcome] = row();
    const got = await answer;
    try {
      expected(got);
      expect(rig.log.map((entry) => entry.outcome)).to.deep.equal([outcome]);
    } catch (error) {
      throw new Error(what, { cause: error });
    }
  }
}

describe('an answer without a file has exactly its headers and text, and its outcome in the log', () => {
  let rig: Rig;

  it('in origin mode', async () => {
    rig = await openRig();
    const shared = (id: RoleId) => `http://localhost:${rig.port}/s/${id}`;
    const site = (id: RoleId) => `http://${rig.siteHost(id)}`;
    const open = await rig.publish(SITE);
    const id = await rig.publish(SITE, PASSWORD);
    const entered = await rig.enter(id, PASSWORD);
    const { pathname, search } = new URL(locationOf(entered));
    const taken = await rig.askSite(id, pathname + search);
    const inside = { headers: { cookie: cookiesOf(taken) } };
    const takeOver = (how?: Ask) => rig.askSite(id, pathname + search, how);
    const late = `${pathname}?grant=x&to=/docs/`;
    await expectRows(rig, {
      ...Object.fromEntries(
        ['/', '/s', '/S/x', '/api/v1/pins'].map((path) => [
          path,
          () => [rig.ask(path), page(404), 'not_found'],
        ]),
      ),
      'no host of a site': () => [rig.ask('/', { host: 'x.localhost' }), page(421), 'misdirected'],
      'a full jar, anywhere': () => [rig.ask('/', { headers: JAR }), page(431), 'too_many_cookies'],
      'a full jar, at a shared URL': () => [
        rig.ask(`/s/${id}`, { headers: JAR }),
        page(431),
        'too_many_cookies',
      ],
      'a full jar, at a hand-over': () => [
        takeOver({ headers: JAR }),
        page(431, UNNAMED),
        'too_many_cookies',
      ],
      'a method of no shared URL': () => [
        rig.ask(`/s/${id}`, { method: 'PUT' }),
        page(405, { allow: 'GET, HEAD, POST' }),
        'method_not_allowed',
      ],
      'a method of no site': () => [
        rig.askSite(id, '/', { method: 'PUT' }),
        page(405, { allow: 'GET, HEAD' }),
        'method_not_allowed',
      ],
      'a method of no hand-over': () => [
        takeOver({ method: 'PUT' }),
        page(405, { allow: 'GET, HEAD', ...UNNAMED }),
        'method_not_allowed',
      ],
      'an unknown shared URL': () => [rig.ask(`/s/${UNKNOWN}`), page(404), 'not_found'],
      'an unknown site': () => [rig.askSite(UNKNOWN, '/'), page(404, FORGET), 'not_found'],
      'an unknown hand-over': () => [
        rig.askSite(UNKNOWN, pathname),
        page(404, { ...FORGET, ...UNNAMED }),
        'not_found',
      ],
      'a shared URL': () => [rig.ask(`/s/${open}`), redirect(302, `${site(open)}/`)],
      'an entered one': () => [
        rig.ask(`/s/${id}`, { headers: { cookie: cookiesOf(entered) } }),
        redirect(302, locationOf(entered), UNNAMED),
      ],
      'a password page': () => [rig.ask(`/s/${id}`), page(200), 'password_required'],
      'a wrong password': () => [rig.enter(id, 'wrong'), page(403), 'wrong_password'],
      'a right one': () => [
        rig.enter(id, PASSWORD),
        redirect(303, locationOf(entered), { ...UNNAMED, 'set-cookie': entered.headers['set-cookie'] }),
      ],
      'a form from elsewhere': () => [
        rig.enter(id, 'x', { headers: { 'sec-fetch-site': 'same-site' } }),
        page(403),
        'foreign_form',
      ],
      'no such form': () => [
        rig.ask(`/s/${id}`, { method: 'POST', headers: FORM, body: 'x=y' }),
        page(400),
        'bad_form',
      ],
      'a hand-over': () => [
        takeOver(),
        redirect(302, `${site(id)}/${MARK}`, { ...UNNAMED, 'set-cookie': taken.headers['set-cookie'] }),
      ],
      'a page after it': () => [
        rig.askSite(id, `/${MARK}`, { headers: { ...NAVIGATION, ...inside.headers } }),
        redirect(302, `${site(id)}/`),
      ],
      'a page after it, without a cookie': () => [
        rig.askSite(id, `/${MARK}`, { headers: NAVIGATION }),
        page(200),
        'cookies_blocked',
      ],
      'a part after it, without a cookie': () => [
        rig.askSite(id, `/${MARK}`),
        line(PASSWORD_REQUIRED),
        'password_required',
      ],
      'a hand-over that is not needed': () => [
        rig.askSite(open, late),
        redirect(302, `${site(open)}/docs/`, UNNAMED),
      ],
      'a late hand-over': () => [
        rig.askSite(id, late),
        line(PASSWORD_REQUIRED, UNNAMED),
        'password_required',
      ],
      'a late hand-over of a page': () => [
        rig.askSite(id, late, { headers: NAVIGATION }),
        redirect(302, `${shared(id)}?to=%2Fdocs%2F`, UNNAMED),
      ],
      'a late hand-over to whoever is in': () => [
        rig.askSite(id, late, inside),
        redirect(302, `${site(id)}/docs/`, UNNAMED),
      ],
      'a page of a protected site': () => [
        rig.askSite(id, '/docs/?q', { headers: NAVIGATION }),
        redirect(302, `${shared(id)}?to=%2Fdocs%2F%3Fq`),
      ],
      'a part of it': () => [rig.askSite(id, '/docs/'), line(PASSWORD_REQUIRED), 'password_required'],
      'a service worker': () => [
        rig.askSite(open, '/docs/', { headers: SCRIPT }),
        line(SERVICE_WORKER),
        'service_worker',
      ],
      'a service worker at a hand-over': () => [
        takeOver({ headers: SCRIPT }),
        line(SERVICE_WORKER, UNNAMED),
        'service_worker',
      ],
      'a folder': () => [rig.askSite(id, '/docs?q', inside), redirect(308, `${site(id)}/docs/?q`)],
      'a missing file': () => [rig.askSite(id, '/nothing.js', inside), page(404), 'no_such_file'],
    });
    rig.clock.advance(rig.useCases.limits.lifetime);
    await expectRows(rig, {
      'an expired shared URL': () => [rig.ask(`/s/${id}`), page(410), 'expired'],
      'an expired site': () => [rig.askSite(id, '/', inside), page(410, FORGET), 'expired'],
    });
  });

  it('in path mode', async () => {
    rig = await openRig({ viewer: { mode: 'path' } });
    const open = await rig.publish(SITE);
    const id = await rig.publish(SITE, PASSWORD);
    const shared = (role: RoleId) => `http://localhost:${rig.port}/s/${role}`;
    const entered = await rig.enter(id, PASSWORD);
    const home = unmarkedLocationOf(entered);
    const { pathname } = new URL(home);
    const cookie = cookiesOf(entered);
    const document = { headers: { ...NAVIGATION, cookie } };
    await expectRows(rig, {
      'a full jar': () => [
        rig.ask(`/s/${id}/`, { headers: JAR }),
        page(431, CROSS_ORIGIN_NO_REFERRER),
        'too_many_cookies',
      ],
      'no id': () => [rig.ask('/s/x/'), page(404), 'not_found'],
      'a link above a site': () => [rig.ask('/s/x/', { headers: NAVIGATION }), page(404), 'outside_site'],
      'a link to a page beside a site': () => [
        rig.ask('/s/about.html', { headers: NAVIGATION }),
        page(404),
        'outside_site',
      ],
      'a link out of a site': () => [rig.ask('/about', { headers: NAVIGATION }), page(404), 'outside_site'],
      'a part out of a site': () => [rig.ask('/app.js'), page(404), 'not_found'],
      'a method of no site': () => [
        rig.ask(`/s/${open}/`, { method: 'PUT' }),
        page(405, { allow: 'GET, HEAD', ...CROSS_ORIGIN_NO_REFERRER }),
        'method_not_allowed',
      ],
      'another letter case': () => [
        rig.ask(`/s/${open.toUpperCase()}/docs/`),
        redirect(302, `${shared(open)}/docs/`, CROSS_ORIGIN_NO_REFERRER),
      ],
      unknown: () => [rig.ask(`/s/${UNKNOWN}/`), page(404, CROSS_ORIGIN_NO_REFERRER), 'not_found'],
      'a service worker': () => [
        rig.ask(`/s/${open}/`, { headers: SCRIPT }),
        line(SERVICE_WORKER, CROSS_ORIGIN_NO_REFERRER),
        'service_worker',
      ],
      'a right password': () => [
        rig.enter(id, PASSWORD),
        redirect(303, home + MARK, { ...UNNAMED, 'set-cookie': entered.headers['set-cookie'] }),
      ],
      'a grant that is not needed': () => [
        rig.ask(`/s/${open}/~${'k'.repeat(40)}/docs/`),
        redirect(302, `${shared(open)}/docs/`, CROSS_ORIGIN_NO_REFERRER),
      ],
      'a folder of an open site': () => [
        rig.ask(`/s/${open}/docs?q`),
        redirect(308, `${shared(open)}/docs/?q`, CROSS_ORIGIN),
      ],
      'a missing file of an open site': () => [
        rig.ask(`/s/${open}/nothing.js`),
        page(404, CROSS_ORIGIN),
        'no_such_file',
      ],
      'a page of a protected site': () => [
        rig.ask(`/s/${id}/docs/`, { headers: NAVIGATION }),
        redirect(302, `${shared(id)}?to=%2Fdocs%2F`, CROSS_ORIGIN_NO_REFERRER),
      ],
      'a page of it to whoever is in': () => [
        rig.ask(`/s/${id}/docs/`, document),
        redirect(302, `${home}docs/`, CROSS_ORIGIN_NO_REFERRER),
      ],
      'a page after a right password': () => [
        rig.ask(pathname + MARK, document),
        redirect(302, home, CROSS_ORIGIN_NO_REFERRER),
      ],
      'a page after it, without a cookie': () => [
        rig.ask(pathname + MARK, { headers: NAVIGATION }),
        page(200, CROSS_ORIGIN_NO_REFERRER),
        'cookies_blocked',
      ],
      'a part of it': () => [
        rig.ask(`/s/${id}/docs/`),
        line(PASSWORD_REQUIRED, CROSS_ORIGIN_NO_REFERRER),
        'password_required',
      ],
      'a part under a grant that is none': () => [
        rig.ask(`/s/${id}/~${'A'.repeat(100)}/docs/`),
        line(PASSWORD_REQUIRED, CROSS_ORIGIN_NO_REFERRER),
        'password_required',
      ],
      'a folder of it': () => [
        rig.ask(`${pathname}docs?q`, document),
        redirect(308, `${home}docs/?q`, CROSS_ORIGIN_NO_REFERRER),
      ],
      'a missing file of it': () => [
        rig.ask(`${pathname}nothing.js`, document),
        page(404, CROSS_ORIGIN_NO_REFERRER),
        'no_such_file',
      ],
    });
    rig.clock.advance(rig.useCases.limits.lifetime);
    await expectRows(rig, {
      'an expired site': () => [rig.ask(`/s/${id}/`), page(410, CROSS_ORIGIN_NO_REFERRER), 'expired'],
    });
  });
});
