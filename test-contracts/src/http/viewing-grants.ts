import { duration } from '@pinfold/core';
import { expect } from 'chai';
import type { WirePin } from './api-exchange.ts';
import type { HttpClauses, HttpService } from './subject.ts';
import {
  change,
  expectNothingOfFile,
  HOME,
  NAVIGATION,
  openNewSite,
  openPage,
  PART,
  PASSWORD,
  publishToView,
  SITE,
  type ViewAnswer,
  Visitor,
} from './viewing-visitor.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LIFETIME = 7 * 24 * HOUR;

/** Whether a visitor may not read a part of the page, which takes a cookie of their own. */
async function isForbidden(visitor: Visitor, page: ViewAnswer): Promise<boolean> {
  return (await visitor.part(page, 'app.js')).status === 403;
}

/** The address of the site, without a grant. */
async function bareSite(port: HttpService, pin: WirePin): Promise<string> {
  if (port.viewerMode === 'path') return `${pin.shared_url}/`;
  const open = await openNewSite(port);
  return open.page.url.replace(open.pin.id, pin.id);
}

export const grantClauses: HttpClauses = {
  'http/view-grant: a viewer who gave the password sees the site on every node, and passes when opening the shared URL again':
    async (subject) => {
      const { pin, visitor, page } = await openNewSite(subject.port, SITE, PASSWORD);
      for (const node of [visitor, visitor.onNode(await subject.peer())]) {
        for (const url of [page.url, pin.shared_url]) {
          const opened = await node.open(url);
          expect([opened.status, opened.text]).to.deep.equal([200, HOME]);
        }
        expect((await node.part(page, 'app.js')).text).to.equal('run()');
      }
    },
  'http/view-grant-needed: without a grant a navigation leads to the shared URL with the requested path, any other request is 403, and no answer reveals a file':
    async ({ port }) => {
      const pin = await publishToView(port, SITE, PASSWORD);
      const site = await bareSite(port, pin);
      const visitor = new Visitor(port);
      const redirected = await visitor.ask(`${site}docs/?q=1`, { headers: NAVIGATION });
      const passwordUrl = `${pin.shared_url}?to=${encodeURIComponent('/docs/?q=1')}`;
      expect([redirected.status, redirected.headers.location]).to.deep.equal([302, passwordUrl]);
      const answers = [
        await visitor.ask(site, { headers: PART }),
        await visitor.ask(`${site}app.js`, { headers: PART }),
        await visitor.ask(`${site}nothing.js`, { headers: PART }),
        await visitor.ask(site, { method: 'HEAD', headers: PART }),
        await visitor.ask(site, { headers: { ...PART, Range: 'bytes=0-9', 'If-None-Match': '*' } }),
      ];
      for (const answer of answers) expect(answer.status).to.equal(403);
      for (const answer of [redirected, ...answers]) expectNothingOfFile(answer);
    },
  'http/view-grant-cookies: its cookies are HttpOnly and SameSite=Lax, prefixed and Secure under https only, for one publication, and live no longer than the grant and the publication':
    async ({ port }) => {
      const pin = await publishToView(port, SITE, PASSWORD);
      const visitor = new Visitor(port);
      const entered = await visitor.enter(pin.shared_url, PASSWORD);
      const lines = [...(entered.headers['set-cookie'] ?? [])];
      const taken = await visitor.ask(String(entered.headers.location), { headers: NAVIGATION });
      if (port.viewerMode === 'origin') lines.push(...(taken.headers['set-cookie'] ?? []));
      const paths = [`${new URL(pin.shared_url).pathname}`, ...(port.viewerMode === 'origin' ? ['/'] : [])];
      const secure = port.baseUrl.startsWith('https:');
      expect(lines).to.have.length(paths.length);
      for (const [index, line] of lines.entries()) {
        const [pair = '', ...attributes] = line.split('; ');
        const prefix = index === 0 ? '__Secure-' : '__Host-';
        expect(pair.startsWith(prefix)).to.equal(secure);
        const expected = [`Path=${paths[index]}`, 'Max-Age=43200', 'HttpOnly', 'SameSite=Lax'];
        expect(attributes).to.have.members(secure ? [...expected, 'Secure'] : expected);
      }
      await port.advance(duration(LIFETIME - HOUR));
      const late = await new Visitor(port).enter(pin.shared_url, PASSWORD);
      const [, seconds] = /; Max-Age=(\d+);/.exec(late.headers['set-cookie']?.[0] ?? '') ?? [];
      expect(Number(seconds), 'an hour before its end').to.be.within(3_540, 3_600);
    },
  'http/view-grant-any-cookie: every cookie of the name is tried, so that a planted one before it shuts no viewer out':
    async ({ port }) => {
      const pin = await publishToView(port, SITE, PASSWORD);
      const visitor = new Visitor(port);
      const entered = await visitor.enter(pin.shared_url, PASSWORD);
      const [pair = ''] = entered.headers['set-cookie']?.[0]?.split(';') ?? [];
      const name = pair.slice(0, pair.indexOf('='));
      for (const Cookie of [
        `${name}=planted; ${pair}`,
        `${pair}; ${name}=`,
        `${name}; ${name}=planted; ${pair}`,
      ]) {
        const answer = await new Visitor(port).ask(pin.shared_url, { headers: { ...NAVIGATION, Cookie } });
        expect(answer.status, Cookie).to.equal(302);
      }
    },
  'http/view-grant-ends: a grant ends twelve hours after the password was given, however often it was passed on':
    async ({ port }) => {
      const { pin, visitor } = await openNewSite(port, SITE, PASSWORD);
      await port.advance(duration(11 * HOUR));
      const again = await visitor.open(pin.shared_url);
      expect(again.text).to.equal(HOME);
      await port.advance(duration(HOUR));
      expect(await isForbidden(visitor, again)).to.equal(true);
      expect((await visitor.open(pin.shared_url)).url).to.equal(pin.shared_url);
    },
  'http/view-grant-revoked: a new password, a removed one and a reset of the expiration cut every viewer off at the next request, on every node':
    async (subject) => {
      for (const update of [{ password: PASSWORD }, { reset_expiration: true }]) {
        const { pin, visitor, page } = await openNewSite(subject.port, SITE, PASSWORD);
        const elsewhere = visitor.onNode(await subject.peer());
        expect(await isForbidden(elsewhere, page)).to.equal(false);
        await change(subject.port, pin.id, update);
        expect(await isForbidden(visitor, page), JSON.stringify(update)).to.equal(true);
        expect(await isForbidden(elsewhere, page), JSON.stringify(update)).to.equal(true);
        expect((await visitor.open(page.url)).text).to.contain('type="password"');
      }
      const { pin, visitor } = await openNewSite(subject.port, SITE, PASSWORD);
      await change(subject.port, pin.id, { password: null });
      await change(subject.port, pin.id, { password: PASSWORD });
      expect((await visitor.open(pin.shared_url)).text).to.contain('type="password"');
    },
  'http/view-grant-own-site: a grant of one publication admits to no other': async ({ port }) => {
    const pin = await publishToView(port, SITE, PASSWORD);
    const other = await publishToView(port, SITE, PASSWORD);
    const entered = await new Visitor(port).enter(pin.shared_url, PASSWORD);
    const [Cookie = ''] = entered.headers['set-cookie']?.[0]?.split(';') ?? [];
    const visitor = new Visitor(port);
    const passwordPage = await visitor.ask(other.shared_url, { headers: { ...NAVIGATION, Cookie } });
    expect(passwordPage.status).to.equal(200);
    const redirectUrl = String(entered.headers.location).replace(pin.id, other.id);
    for (const url of [redirectUrl, await bareSite(port, other)]) {
      const part = await visitor.ask(url, { headers: { ...PART, Cookie } });
      expect([part.status, part.headers['set-cookie']], url).to.deep.equal([403, undefined]);
    }
  },
  'http/view-way-in: the grant in the redirect from the shared URL is not valid as a cookie; in origin mode it is valid for a minute, in path mode a document needs the cookie, too':
    async ({ port }) => {
      const pin = await publishToView(port, SITE, PASSWORD);
      const visitor = new Visitor(port);
      const entered = await visitor.enter(pin.shared_url, PASSWORD);
      const redirectUrl = String(entered.headers.location);
      const [name = ''] = entered.headers['set-cookie']?.[0]?.split('=') ?? [];
      const tokens = [...redirectUrl.matchAll(/[\w.-]{40,}/g)]
        .map(([text]) => text)
        .filter((text) => text !== pin.id);
      for (const token of tokens) {
        const headers = { ...NAVIGATION, Cookie: `${name}=${token}` };
        expect((await visitor.ask(pin.shared_url, { headers })).status).to.equal(200);
      }
      if (port.viewerMode === 'origin') {
        await port.advance(duration(MINUTE));
        const late = await new Visitor(port).ask(redirectUrl, { headers: PART });
        expect([late.status, late.headers['set-cookie']]).to.deep.equal([403, undefined]);
        return;
      }
      const page = await visitor.open(redirectUrl);
      const copied = await new Visitor(port).ask(page.url, { headers: NAVIGATION });
      expect([copied.status, copied.headers.location]).to.deep.equal([302, `${pin.shared_url}?to=%2F`]);
    },
  'http/view-cookie-mark: the redirect that sets the cookie of a site ends with pinfold-cookie=1; the next one removes it, or a page explains that the browser stores no cookies':
    async ({ port }) => {
      const pin = await publishToView(port, SITE, PASSWORD);
      const to = encodeURIComponent('/docs/?q=1');
      const visitor = new Visitor(port);
      const entered = await visitor.enter(`${pin.shared_url}?to=${to}`, PASSWORD);
      const last =
        port.viewerMode === 'path'
          ? entered
          : await visitor.ask(String(entered.headers.location), { headers: NAVIGATION });
      const marked = String(last.headers.location);
      expect(marked.endsWith('/docs/?q=1&pinfold-cookie=1'), marked).to.equal(true);
      const [pair = ''] = last.headers['set-cookie']?.[0]?.split(';') ?? [];
      for (const Cookie of [pair, `${pair.slice(0, pair.indexOf('='))}=planted`]) {
        const redirected = await new Visitor(port).ask(marked, { headers: { ...NAVIGATION, Cookie } });
        const expected = [302, marked.replace('&pinfold-cookie=1', '')];
        expect([redirected.status, redirected.headers.location], Cookie).to.deep.equal(expected);
      }
      const page = await new Visitor(port).ask(marked, { headers: NAVIGATION });
      expect([page.status, page.headers['content-type']]).to.deep.equal([200, 'text/html; charset=utf-8']);
      expect(page.text).to.include(`href="${pin.shared_url}?to=${to}"`);
      expect(page.text).not.to.include('type="password"');
      expectNothingOfFile(page, SITE['docs/index.html']);
      if (port.viewerMode === 'path') return;
      expect((await new Visitor(port).ask(marked, { headers: PART })).status).to.equal(403);
    },
  'http/view-protection-removed: without its password a publication is open, and its pages still work from where viewers were':
    async ({ port }) => {
      const { pin, visitor, page } = await openNewSite(port, SITE, PASSWORD);
      await change(port, pin.id, { password: null });
      expect((await visitor.open(page.url)).text).to.equal(HOME);
      expect((await openPage(new Visitor(port), pin)).text).to.equal(HOME);
    },
  'http/view-never-stored: answers that are not files of a site are never stored; those with a grant send no referrer':
    async ({ port }) => {
      const { pin, visitor, page } = await openNewSite(port, SITE, PASSWORD);
      const site = await bareSite(port, pin);
      const entered = await visitor.enter(pin.shared_url, PASSWORD);
      const taken = await visitor.ask(String(entered.headers.location), { headers: NAVIGATION });
      const again = await visitor.ask(pin.shared_url, { headers: NAVIGATION });
      const answers = [
        again,
        await visitor.part(page, 'docs'),
        await visitor.part(page, 'nothing.js'),
        await new Visitor(port).ask(site, { headers: NAVIGATION }),
        await new Visitor(port).ask(site, { headers: PART }),
        await new Visitor(port).ask(pin.shared_url, { headers: NAVIGATION }),
        await new Visitor(port).enter(pin.shared_url, 'wrong'),
        entered,
        ...(port.viewerMode === 'origin' ? [taken] : []),
      ];
      for (const { url, status, headers } of answers) {
        expect(headers['cache-control'], `${status} ${url}`).to.equal('no-store');
      }
      for (const { url, headers } of [entered, again, taken]) {
        expect(headers['referrer-policy'], url).to.equal('no-referrer');
      }
    },
};
