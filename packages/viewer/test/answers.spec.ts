import type { IncomingHttpHeaders } from 'node:http';
import type { RoleId } from '@pinfold/core';
import { expect } from 'chai';
import { type Answer, type Ask, cookiesOf, locationOf, unmarkedLocationOf } from './client.ts';
import { CROSS_ORIGIN_NO_REFERRER, expectLine, expectPage, expectRedirect, FORGET } from './expect-page.ts';
import { FORM, NAVIGATION, openRig, PASSWORD, type Rig } from './rig.ts';

const UNKNOWN = '0b5f1c9e-7d0a-4c53-9a51-3d2f8b7e6a10' as RoleId;
const SITE = { 'index.html': 'home', 'docs/index.html': 'docs' };
const TOO_MANY_COOKIES = { cookie: `c=${'x'.repeat(12_400)}` };
const MARK = '?pinfold-cookie=1';
const SCRIPT = { 'service-worker': 'script' };
const NO_REFERRER = { 'referrer-policy': 'no-referrer' };
const CROSS_ORIGIN = { ...CROSS_ORIGIN_NO_REFERRER, 'referrer-policy': 'same-origin' };
const SERVICE_WORKER = 'No service workers here';
const PASSWORD_REQUIRED = 'Password required';

/** A request, a check of its answer, and its outcome in the log. */
type Row = readonly [request: Promise<Answer>, check: (answer: Answer) => void, outcome?: string];

const page =
  (...expected: [status: number, more?: IncomingHttpHeaders]) =>
  (answer: Answer) =>
    expectPage(answer, ...expected);
const line =
  (...expected: [line: string, more?: IncomingHttpHeaders]) =>
  (answer: Answer) =>
    expectLine(answer, ...expected);
const redirect =
  (...expected: [status: number, location: string, more?: IncomingHttpHeaders]) =>
  (answer: Answer) =>
    expectRedirect(answer, ...expected);

/** Sends the requests one after another, each with a log of its own. */
async function expectRows(rig: Rig, rows: Readonly<Record<string, () => Row>>): Promise<void> {
  for (const [name, row] of Object.entries(rows)) {
    rig.log.length = 0;
    const [request, check, outcome] = row();
    const answer = await request;
    try {
      check(answer);
      expect(rig.log.map((entry) => entry.outcome)).to.deep.equal([outcome]);
    } catch (error) {
      throw new Error(name, { cause: error });
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
    const handOver = (request?: Ask) => rig.askSite(id, pathname + search, request);
    const late = `${pathname}?grant=x&to=/docs/`;
    await expectRows(rig, {
      ...Object.fromEntries(
        ['/', '/s', '/S/x', '/api/v1/pins'].map((path) => [
          path,
          () => [rig.ask(path), page(404), 'not_found'],
        ]),
      ),
      'a host that is not a site': () => [rig.ask('/', { host: 'x.localhost' }), page(421), 'misdirected'],
      'too many cookies, outside of sites': () => [
        rig.ask('/', { headers: TOO_MANY_COOKIES }),
        page(431),
        'too_many_cookies',
      ],
      'too many cookies, at a shared URL': () => [
        rig.ask(`/s/${id}`, { headers: TOO_MANY_COOKIES }),
        page(431),
        'too_many_cookies',
      ],
      'too many cookies, at a hand-over': () => [
        handOver({ headers: TOO_MANY_COOKIES }),
        page(431, NO_REFERRER),
        'too_many_cookies',
      ],
      'a method that a shared URL does not allow': () => [
        rig.ask(`/s/${id}`, { method: 'PUT' }),
        page(405, { allow: 'GET, HEAD, POST' }),
        'method_not_allowed',
      ],
      'a method that a site does not allow': () => [
        rig.askSite(id, '/', { method: 'PUT' }),
        page(405, { allow: 'GET, HEAD' }),
        'method_not_allowed',
      ],
      'a method that a hand-over does not allow': () => [
        handOver({ method: 'PUT' }),
        page(405, { allow: 'GET, HEAD', ...NO_REFERRER }),
        'method_not_allowed',
      ],
      'an unknown shared URL': () => [rig.ask(`/s/${UNKNOWN}`), page(404), 'not_found'],
      'an unknown site': () => [rig.askSite(UNKNOWN, '/'), page(404, FORGET), 'not_found'],
      'an unknown hand-over': () => [
        rig.askSite(UNKNOWN, pathname),
        page(404, { ...FORGET, ...NO_REFERRER }),
        'not_found',
      ],
      'a shared URL': () => [rig.ask(`/s/${open}`), redirect(302, `${site(open)}/`)],
      'a shared URL, with a grant': () => [
        rig.ask(`/s/${id}`, { headers: { cookie: cookiesOf(entered) } }),
        redirect(302, locationOf(entered), NO_REFERRER),
      ],
      'a password page': () => [rig.ask(`/s/${id}`), page(200), 'password_required'],
      'a wrong password': () => [rig.enter(id, 'wrong'), page(403), 'wrong_password'],
      'a right password': () => [
        rig.enter(id, PASSWORD),
        redirect(303, locationOf(entered), { ...NO_REFERRER, 'set-cookie': entered.headers['set-cookie'] }),
      ],
      'a form from elsewhere': () => [
        rig.enter(id, 'x', { headers: { 'sec-fetch-site': 'same-site' } }),
        page(403),
        'foreign_form',
      ],
      'a form without a password': () => [
        rig.ask(`/s/${id}`, { method: 'POST', headers: FORM, body: 'x=y' }),
        page(400),
        'bad_form',
      ],
      'a hand-over': () => [
        handOver(),
        redirect(302, `${site(id)}/${MARK}`, { ...NO_REFERRER, 'set-cookie': taken.headers['set-cookie'] }),
      ],
      'a page after a hand-over': () => [
        rig.askSite(id, `/${MARK}`, { headers: { ...NAVIGATION, ...inside.headers } }),
        redirect(302, `${site(id)}/`),
      ],
      'a page after a hand-over, without a cookie': () => [
        rig.askSite(id, `/${MARK}`, { headers: NAVIGATION }),
        page(200),
        'cookies_blocked',
      ],
      'a subresource after a hand-over, without a cookie': () => [
        rig.askSite(id, `/${MARK}`),
        line(PASSWORD_REQUIRED),
        'password_required',
      ],
      'a hand-over that is not needed': () => [
        rig.askSite(open, late),
        redirect(302, `${site(open)}/docs/`, NO_REFERRER),
      ],
      'a late hand-over': () => [
        rig.askSite(id, late),
        line(PASSWORD_REQUIRED, NO_REFERRER),
        'password_required',
      ],
      'a late hand-over of a page': () => [
        rig.askSite(id, late, { headers: NAVIGATION }),
        redirect(302, `${shared(id)}?to=%2Fdocs%2F`, NO_REFERRER),
      ],
      'a late hand-over, with a grant': () => [
        rig.askSite(id, late, inside),
        redirect(302, `${site(id)}/docs/`, NO_REFERRER),
      ],
      'a page of a protected site': () => [
        rig.askSite(id, '/docs/?q', { headers: NAVIGATION }),
        redirect(302, `${shared(id)}?to=%2Fdocs%2F%3Fq`),
      ],
      'a subresource of a protected site': () => [
        rig.askSite(id, '/docs/'),
        line(PASSWORD_REQUIRED),
        'password_required',
      ],
      'a service worker': () => [
        rig.askSite(open, '/docs/', { headers: SCRIPT }),
        line(SERVICE_WORKER),
        'service_worker',
      ],
      'a service worker at a hand-over': () => [
        handOver({ headers: SCRIPT }),
        line(SERVICE_WORKER, NO_REFERRER),
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
      'too many cookies': () => [
        rig.ask(`/s/${id}/`, { headers: TOO_MANY_COOKIES }),
        page(431, CROSS_ORIGIN_NO_REFERRER),
        'too_many_cookies',
      ],
      'a path inside a site, without an id': () => [rig.ask('/s/x/'), page(404), 'not_found'],
      'a link above a site': () => [rig.ask('/s/x/', { headers: NAVIGATION }), page(404), 'outside_site'],
      'a link to a page beside a site': () => [
        rig.ask('/s/about.html', { headers: NAVIGATION }),
        page(404),
        'outside_site',
      ],
      'a link out of a site': () => [rig.ask('/about', { headers: NAVIGATION }), page(404), 'outside_site'],
      'a subresource outside of all sites': () => [rig.ask('/app.js'), page(404), 'not_found'],
      'a method that a site does not allow': () => [
        rig.ask(`/s/${open}/`, { method: 'PUT' }),
        page(405, { allow: 'GET, HEAD', ...CROSS_ORIGIN_NO_REFERRER }),
        'method_not_allowed',
      ],
      'another letter case': () => [
        rig.ask(`/s/${open.toUpperCase()}/docs/`),
        redirect(302, `${shared(open)}/docs/`, CROSS_ORIGIN_NO_REFERRER),
      ],
      'an unknown site': () => [rig.ask(`/s/${UNKNOWN}/`), page(404, CROSS_ORIGIN_NO_REFERRER), 'not_found'],
      'a service worker': () => [
        rig.ask(`/s/${open}/`, { headers: SCRIPT }),
        line(SERVICE_WORKER, CROSS_ORIGIN_NO_REFERRER),
        'service_worker',
      ],
      'a right password': () => [
        rig.enter(id, PASSWORD),
        redirect(303, home + MARK, { ...NO_REFERRER, 'set-cookie': entered.headers['set-cookie'] }),
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
      'a page of a protected site, with a grant': () => [
        rig.ask(`/s/${id}/docs/`, document),
        redirect(302, `${home}docs/`, CROSS_ORIGIN_NO_REFERRER),
      ],
      'a page after a right password': () => [
        rig.ask(pathname + MARK, document),
        redirect(302, home, CROSS_ORIGIN_NO_REFERRER),
      ],
      'a page after a right password, without a cookie': () => [
        rig.ask(pathname + MARK, { headers: NAVIGATION }),
        page(200, CROSS_ORIGIN_NO_REFERRER),
        'cookies_blocked',
      ],
      'a subresource of a protected site': () => [
        rig.ask(`/s/${id}/docs/`),
        line(PASSWORD_REQUIRED, CROSS_ORIGIN_NO_REFERRER),
        'password_required',
      ],
      'a subresource under an invalid grant': () => [
        rig.ask(`/s/${id}/~${'A'.repeat(100)}/docs/`),
        line(PASSWORD_REQUIRED, CROSS_ORIGIN_NO_REFERRER),
        'password_required',
      ],
      'a folder of a protected site': () => [
        rig.ask(`${pathname}docs?q`, document),
        redirect(308, `${home}docs/?q`, CROSS_ORIGIN_NO_REFERRER),
      ],
      'a missing file of a protected site': () => [
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
