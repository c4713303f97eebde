import { duration } from '@pinfold/core';
import { expect } from 'chai';
import { ApiClient, UNKNOWN_ID } from './api-client.ts';
import { sendRequest } from './send-request.ts';
import type { HttpClauses } from './subject.ts';
import {
  HOME,
  NAVIGATION,
  openNewSite,
  PASSWORD,
  publishToView,
  SITE,
  stop,
  type ViewAnswer,
  Visitor,
} from './viewing-visitor.ts';

const DAY = 86_400_000;

const FORBIDDEN_RETURNS = [
  'docs/',
  '//evil.example/',
  '/\\evil.example/',
  'https://evil.example/',
  '/docs/\u00e9',
  '/docs/\r\nX-Planted: yes',
  `/${'a'.repeat(2_048)}`,
];

/** Every page of the viewer, by the request that leads to it. */
async function everyPage(visitor: Visitor, baseUrl: string, id: string): Promise<readonly ViewAnswer[]> {
  const unknown = `${baseUrl}/s/${UNKNOWN_ID}`;
  const page = (url: string, language: string): Promise<ViewAnswer> =>
    visitor.ask(url, { headers: { ...NAVIGATION, 'Accept-Language': language } });
  return [
    await page(unknown, 'en'),
    await page(`${baseUrl}/s/nothing`, 'ja'),
    await page(`${baseUrl}/s/${id}`, 'en'),
    await page(`${baseUrl}/s/${id}`, 'ja'),
    await visitor.enter(`${baseUrl}/s/${id}`, 'wrong'),
    await visitor.ask(unknown, { method: 'DELETE' }),
  ];
}

export const sharedUrlClauses: HttpClauses = {
  'http/view-open: a shared URL leads with 302 to the site, which is served by any node': async (subject) => {
    const pin = await publishToView(subject.port);
    for (const node of [subject.port, await subject.peer()]) {
      const visitor = new Visitor(node);
      expect((await visitor.ask(pin.shared_url, { headers: NAVIGATION })).status).to.equal(302);
      const page = await visitor.open(pin.shared_url);
      expect([page.status, page.text]).to.deep.equal([200, HOME]);
      expect((await visitor.part(page, 'app.js')).text).to.equal('run()');
    }
  },
  'http/view-return-path: the shared URL leads to the requested path; one that could leave the site becomes the root':
    async ({ port }) => {
      const { pin, visitor, page } = await openNewSite(port);
      const locationAfter = async (to: string): Promise<string | undefined> =>
        (await visitor.ask(`${pin.shared_url}?to=${encodeURIComponent(to)}`)).headers.location;
      const root = page.url;
      expect(await locationAfter('/docs/?q=1')).to.equal(`${root}docs/?q=1`);
      for (const to of FORBIDDEN_RETURNS) expect(await locationAfter(to), to).to.equal(root);
      const twice = await visitor.ask(`${pin.shared_url}?to=/docs/&to=/about`);
      expect(twice.headers.location).to.equal(root);
    },
  'http/view-path-after: a path after the shared URL leads to that page, even of a protected site': async ({
    port,
  }) => {
    const { pin, visitor } = await openNewSite(port);
    expect((await visitor.open(`${pin.shared_url}/docs/?q=1`)).text).to.equal(SITE['docs/index.html']);
    const locked = await publishToView(port, SITE, PASSWORD);
    const person = new Visitor(port);
    const address = `${locked.shared_url}/docs/?q=1`;
    const prompt = await person.open(address);
    expect([prompt.status, prompt.text.includes('type="password"')]).to.deep.equal([200, true]);
    await person.enter(prompt.url, PASSWORD);
    expect((await person.open(address)).text).to.equal(SITE['docs/index.html']);
  },
  'http/view-addresses: addresses in answers come from the settings, never from Host or forwarding headers':
    async ({ port }) => {
      const { pin, page } = await openNewSite(port);
      const headers = {
        ...NAVIGATION,
        Host: 'evil.example',
        'X-Forwarded-Host': 'evil.example',
        'X-Forwarded-Proto': 'gopher',
        Forwarded: 'host=evil.example;proto=gopher',
      };
      const answer = await sendRequest(port.baseUrl, { path: new URL(pin.shared_url).pathname, headers });
      expect([answer.status, answer.headers.location]).to.deep.equal([302, page.url]);
    },
  'http/view-letter-case: an id in other letter case leads to the lower-case one with 302': async ({
    port,
  }) => {
    const pin = await publishToView(port);
    const upper = `${port.baseUrl}/s/${pin.id.toUpperCase()}`;
    const answer = await new Visitor(port).ask(`${upper}?to=/docs/`);
    expect([answer.status, answer.headers.location]).to.deep.equal([302, `${pin.shared_url}?to=/docs/`]);
  },
  'http/view-unknown: unknown, malformed and stopped ids are one and the same 404 page': async ({ port }) => {
    const pin = await publishToView(port);
    await stop(port, pin.id);
    const visitor = new Visitor(port);
    const pages = new Set<string>();
    for (const id of [pin.id, UNKNOWN_ID, 'nothing', '%00', `${pin.id}0`]) {
      const answer = await visitor.ask(`${port.baseUrl}/s/${id}`, { headers: NAVIGATION });
      expect(answer.status, id).to.equal(404);
      pages.add(answer.text);
    }
    expect(pages.size).to.equal(1);
  },
  'http/view-stopped: a stopped publication is 404 at the next request, its site too, on every node': async (
    subject,
  ) => {
    const { pin, visitor, page } = await openNewSite(subject.port);
    await stop(subject.port, pin.id);
    for (const node of [visitor, visitor.onNode(await subject.peer())]) {
      for (const url of [pin.shared_url, page.url, new URL('app.js', page.url).href]) {
        expect((await node.ask(url, { headers: NAVIGATION })).status, url).to.equal(404);
      }
    }
  },
  'http/view-expired: an expired publication is a 410 page, its site too; a pinned one is not': async ({
    port,
  }) => {
    const { pin, visitor, page } = await openNewSite(port);
    const pinned = await openNewSite(port, { 'index.html': 'saved' });
    await port.pin(pinned.pin.id);
    const { lifetime_days: lifetime = 0 } = (await new ApiClient(port).get('/api/v1/limits')).body.limits;
    await port.advance(duration(lifetime * DAY));
    for (const url of [pin.shared_url, page.url, new URL('app.js', page.url).href]) {
      expect((await visitor.ask(url, { headers: NAVIGATION })).status, url).to.equal(410);
    }
    expect((await pinned.visitor.ask(pinned.page.url)).status).to.equal(200);
  },
  'http/view-forget: an ended or unknown site clears the data that the browser stored for it, only on its own origin, and no cookie of others':
    async ({ port }) => {
      const { pin, visitor, page } = await openNewSite(port);
      await stop(port, pin.id);
      const shared = await visitor.ask(pin.shared_url);
      const site = await visitor.ask(page.url);
      expect(shared.headers).not.to.have.property('clear-site-data');
      if (port.viewerMode === 'path') {
        expect(site.headers).not.to.have.property('clear-site-data');
        return;
      }
      const unknown = await visitor.ask(page.url.replace(pin.id, UNKNOWN_ID));
      for (const { headers } of [site, unknown]) {
        expect(headers['clear-site-data']).to.equal('"cache", "storage"');
        const [line = '', ...more] = headers['set-cookie'] ?? [];
        expect(more).to.deep.equal([]);
        expect(line).to.match(/^[^=;]+=; .*\bMax-Age=0\b/);
      }
    },
  'http/view-pages: pages are small, run no script, are never stored, framed or reachable by their opener, and reveal nothing of the publication':
    async ({ port }) => {
      const pin = await publishToView(port, SITE, PASSWORD);
      for (const page of await everyPage(new Visitor(port), port.baseUrl, pin.id)) {
        const { headers } = page;
        expect(headers['content-type']).to.equal('text/html; charset=utf-8');
        const policy = headers['content-security-policy'] ?? '';
        expect(policy)
          .to.match(/default-src 'none'/)
          .and.to.match(/frame-ancestors 'none'/);
        expect(policy)
          .to.match(/style-src 'sha256-/)
          .and.not.to.match(/script-src|unsafe-inline|form-action/);
        expect(headers['referrer-policy']).to.equal('same-origin');
        expect(headers['cross-origin-opener-policy']).to.equal('same-origin');
        expect(page.bytes.length).to.be.below(6_000);
        const rest = page.text.replace(/<link rel="icon" href="data:[^"]*"/, '');
        expect(rest).not.to.match(/<script|<img|<link|Keepers only/i);
      }
    },
  'http/view-languages: pages are in English or Japanese, by the weights of Accept-Language': async ({
    port,
  }) => {
    const pin = await publishToView(port, SITE, PASSWORD);
    const visitor = new Visitor(port);
    for (const [accepted, language] of [
      ['ja', 'ja'],
      ['ja-JP, en;q=0.5', 'ja'],
      ['en;q=0.3, ja;q=0.4', 'ja'],
      ['en-GB, ja;q=0.9', 'en'],
      ['ja;q=0', 'en'],
      ['la', 'en'],
    ] as const) {
      const headers = { ...NAVIGATION, 'Accept-Language': accepted };
      for (const url of [pin.shared_url, `${port.baseUrl}/s/${UNKNOWN_ID}`]) {
        expect((await visitor.ask(url, { headers })).text, accepted).to.contain(`<html lang="${language}"`);
      }
    }
  },
};
