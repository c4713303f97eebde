import { expect } from 'chai';
import { UNKNOWN_ID } from './api-client.ts';
import { sendRequest } from './send-request.ts';
import type { HttpClauses, HttpService } from './subject.ts';
import {
  NAVIGATION,
  openNewSite,
  PART,
  PASSWORD,
  publishToView,
  SITE,
  type ViewAnswer,
  Visitor,
} from './viewing-visitor.ts';

/** The cookies that a hostile page sets in a browser: as many as the browser stores for their domain. */
const JAR: string = Array.from({ length: 4 }, (_, n) => `b${n}=${'x'.repeat(3_200)}`).join('; ');
const LONG: string = 'a'.repeat(13_000);

/** Answers that are not a file of a protected site: some to a viewer with access, some to one without. */
async function noFiles(port: HttpService): Promise<readonly ViewAnswer[]> {
  const { pin, visitor, page } = await openNewSite(port, SITE, PASSWORD);
  const otherVisitor = new Visitor(port);
  const entered = await visitor.enter(pin.shared_url, PASSWORD);
  const redirectUrl = String(entered.headers.location);
  const shared = [
    entered,
    await visitor.ask(pin.shared_url, { headers: NAVIGATION }),
    await otherVisitor.ask(pin.shared_url, { headers: NAVIGATION }),
    await otherVisitor.enter(pin.shared_url, 'wrong'),
    await otherVisitor.ask(`${port.baseUrl}/s/${UNKNOWN_ID}`),
  ];
  if (port.viewerMode === 'path') return shared;
  return [
    ...shared,
    await visitor.ask(redirectUrl, { headers: NAVIGATION }),
    await visitor.part(page, 'docs'),
    await visitor.part(page, 'nothing.js'),
    await otherVisitor.ask(page.url, { headers: NAVIGATION }),
    await otherVisitor.ask(page.url, { headers: PART }),
    await otherVisitor.ask(page.url.replace(pin.id, UNKNOWN_ID)),
  ];
}

export const siblingClauses: HttpClauses = {
  'http/view-siblings-learn-nothing: an answer that is not a file of a site is only for its own origin, whether the viewer has a grant or not':
    async ({ port }) => {
      for (const { url, status, headers } of await noFiles(port)) {
        expect(headers['cross-origin-resource-policy'], `${status} ${url}`).to.equal('same-origin');
      }
    },
  'http/view-too-many-cookies: cookies of more than 12 KiB get 431 with a page that says what to do, and are not deleted; a long address is not refused':
    async ({ port }) => {
      const { pin, page } = await openNewSite(port);
      const visitor = new Visitor(port);
      for (const url of [pin.shared_url, page.url, `${port.baseUrl}/s/${UNKNOWN_ID}`]) {
        const full = await visitor.ask(url, { headers: { ...NAVIGATION, Cookie: JAR } });
        expect([full.status, full.headers['content-type']], url).to.deep.equal([
          431,
          'text/html; charset=utf-8',
        ]);
        expect(full.headers).not.to.have.any.keys('clear-site-data', 'set-cookie');
        const Cookie = JAR.slice(0, 11_000);
        expect((await visitor.ask(url, { headers: { ...NAVIGATION, Cookie } })).status, url).not.to.equal(
          431,
        );
      }
      const { host: Host, pathname: path } = new URL(pin.shared_url);
      const halves = [JAR.slice(0, 7_000), JAR.slice(7_000)].flatMap((half) => ['Cookie', half]);
      expect((await sendRequest(port.baseUrl, { path, headers: ['Host', Host, ...halves] })).status).to.equal(
        431,
      );
      const long = await visitor.ask(`${page.url}${LONG}`, { headers: PART });
      expect(long.status).to.equal(404);
    },
  "http/view-misdirected: the answer for a Host below the sites' host that is not an id is 421, whatever the path; in path mode such a Host counts as the public host":
    async ({ port }) => {
      const pin = await publishToView(port);
      const { page } = await openNewSite(port);
      const { pathname: path } = new URL(pin.shared_url);
      const sites = port.viewerMode === 'path' ? 'localhost' : new URL(page.url).host.replace(/^[^.]+\./, '');
      for (const Host of [`nothing.${sites}`, `nothing.${pin.id}.${sites}`]) {
        const { status } = await sendRequest(port.baseUrl, { path, headers: { Host } });
        expect(status, Host).to.equal(port.viewerMode === 'path' ? 302 : 421);
        if (port.viewerMode === 'path') continue;
        const api = await sendRequest(port.baseUrl, { path: '/api/v1/pins', headers: { Host } });
        expect(api.status, Host).to.equal(421);
      }
    },
};
