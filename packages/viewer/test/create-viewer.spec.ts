import type { IncomingMessage } from 'node:http';
import { Fault, type UseCases } from '@pinfold/core';
import { expect } from 'chai';
import express from 'express';
import { createViewer, type ViewerAccess } from '../src/index.ts';
import { settingsOf } from '../src/viewer-options.ts';
import { askRaw, cookiesOf, locationOf } from './client.ts';
import { CROSS_ORIGIN_NO_REFERRER, expectPage, FORGET } from './expect-page.ts';
import { FORM, NAVIGATION, openRig, PASSWORD, type Rig } from './rig.ts';

const SITE = { 'index.html': '<h1>Harbour</h1>', 'docs/index.html': 'docs' };
const ID = '0b5f1c9e-7d0a-4c53-9a51-3d2f8b7e6a10';

describe('the viewer on a server of its own', () => {
  let rig: Rig;
  before(async () => {
    rig = await openRig();
  });
  after(() => rig.close());

  it('serves a request without Host as the public host', async () => {
    const id = await rig.publish(SITE);
    const answer = await askRaw(rig.port, `GET /s/${id} HTTP/1.0\r\n\r\n`);
    expect(answer).to.match(/^HTTP\/1\.1 302 /);
  });

  it('logs each request once, without secrets', async () => {
    const id = await rig.publish(SITE, PASSWORD);
    rig.log.length = 0;
    const begun = performance.now();
    const headers = { referer: 'https://e.example/secret' };
    await rig.follow(await rig.enter(id, PASSWORD, { query: '?to=/secret', headers }));
    await rig.askSite(id, '/docs/secret?secret=1', { headers: NAVIGATION });
    await rig.ask('/s/secret');
    const seen = rig.log.map(({ method, route, role, status }) => [method, route, role, status]);
    expect(seen).to.deep.equal([
      ['POST', 'shared_url', id, 303],
      ['GET', 'hand_over', id, 302],
      ['GET', 'site', id, 302],
      ['GET', 'shared_url', null, 404],
    ]);
    expect(JSON.stringify(rig.log)).not.to.match(/secret|harbour|grant/);
    for (const entry of rig.log) {
      expect(entry.requestId).to.match(/^[0-9a-f-]{36}$/);
      expect(entry.milliseconds).to.be.within(0.001, performance.now() - begun);
      expect(String(entry.milliseconds), 'at most three decimal places').to.match(/^\d+(?:\.\d{1,3})?$/);
    }
    expect(new Set(rig.log.map(({ requestId }) => requestId))).to.have.length(4);
    expect(rig.log[0]).to.have.all.keys('requestId', 'method', 'route', 'role', 'status', 'milliseconds');
  });
});

describe('a viewer that allows service workers', () => {
  it('serves a site its service worker, in either mode', async () => {
    for (const mode of ['origin', 'path'] as const) {
      const rig = await openRig({ viewer: { mode, serviceWorkers: 'allow' } });
      const id = await rig.publish(SITE);
      const request = { headers: { 'service-worker': 'script' } };
      const script =
        mode === 'origin' ? rig.askSite(id, '/docs/', request) : rig.ask(`/s/${id}/docs/`, request);
      expect((await script).status).to.equal(200);
    }
  });
});

describe('the viewer in Express', () => {
  it('passes on other requests, even with several Host headers', async () => {
    const rig = await openRig({
      mount: (viewer) => express().use(viewer, (_request, response) => void response.send('theirs')),
    });
    const head = 'GET /other HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n';
    expect(await askRaw(rig.port, head)).to.match(/^HTTP\/1\.1 200 [\s\S]*theirs$/);
  });

  it('answers its own requests and passes on the others, before other routes', async () => {
    const rig = await openRig({
      mount: (viewer) => {
        const app = express();
        app.use(viewer);
        app.get('/', (_request, response) => void response.send('front page'));
        app.post('/s', (_request, response) => void response.send('posted'));
        app.use((request, response) => void response.send(`own ${request.path}`));
        return app;
      },
    });
    const id = await rig.publish(SITE);
    for (const path of ['/s/', '/s/about', '/s/about/us', '/n/news', `/n/x${'a'.repeat(22)}`]) {
      expect((await rig.ask(path)).text, path).to.equal(`own ${path}`);
    }
    expect((await rig.ask('/s/b9df3e07-5645-400c-ae31-d009fa487669')).status).to.equal(404);
    expect((await rig.ask('/')).text).to.equal('front page');
    expect((await rig.ask('/s', { method: 'POST' })).text).to.equal('posted');
    expect((await rig.askSite(id, '/')).text).to.equal(SITE['index.html']);
    expect((await rig.askSite(id, '/')).headers['cache-control']).to.equal('no-cache');
    expect((await rig.ask(`/s/${id}`)).status).to.equal(302);
    const form = { method: 'POST', body: `password=${PASSWORD}` };
    const other = { host: 'other.example' };
    const absolute = `http://${rig.siteHost(id)}`;
    expect((await rig.ask(absolute, other)).text).to.equal(SITE['index.html']);
    expect((await rig.askSite(id, `http://localhost:${rig.port}/s/${id}`)).status).to.equal(302);
    expect((await rig.askSite(id, 'https://other.example/')).text).to.equal('front page');
    const locked = await rig.publish(SITE, PASSWORD);
    const origin = { ...FORM, origin: 'https://share.example' };
    const entered = await rig.ask(`http://share.example/s/${locked}`, { ...form, ...other, headers: origin });
    expect(entered.status).to.equal(303);
    for (const target of [
      `http://ada@${rig.siteHost(id)}/`,
      `ftp://${rig.siteHost(id)}/`,
      '*',
      'index.html',
    ]) {
      expect((await rig.askSite(id, target)).status, target).to.equal(400);
    }
  });

  it('works after other routes, in path mode below a path, and with a form that was read already', async () => {
    const rig = await openRig({
      viewer: { publicUrl: 'http://localhost/share', mode: 'path' },
      mount: (viewer) => {
        const app = express();
        app.get('/other', (_request, response) => void response.send('other'));
        app.use(express.urlencoded({ extended: false }));
        app.use('/share', viewer);
        return app;
      },
    });
    const id = await rig.publish(SITE, PASSWORD);
    expect((await rig.ask('/other')).text).to.equal('other');
    const enter = (body: string) => rig.ask(`/share/s/${id}`, { method: 'POST', headers: FORM, body });
    const entered = await enter(`password=${encodeURIComponent(PASSWORD)}`);
    expect(entered.status).to.equal(303);
    expect(entered.headers['set-cookie']?.[0]).to.contain(`; Path=/share/s/${id};`);
    expect((await enter('password=wrong')).status).to.equal(403);
    expect((await enter('password=a&password=b')).status).to.equal(400);
    expect((await enter('')).status).to.equal(400);
  });
});

describe('the viewer during failures', () => {
  const broken = (error: unknown) =>
    openRig({ ports: ({ roles }) => ({ roles: { ...roles, load: () => Promise.reject(error) } }) });

  it('answers 503 with Retry-After if a part cannot be reached, and logs it', async () => {
    const fault = new Fault('store_unavailable', 'no database');
    const rig = await broken(fault);
    for (const answer of [
      await rig.ask(`/s/${ID}`),
      await rig.ask('/', { host: `${ID}.localhost:${rig.port}` }),
      await rig.ask(`/s/${ID}`, { method: 'POST', headers: FORM, body: 'password=x' }),
    ]) {
      expectPage(answer, 503, { 'retry-after': '10' });
    }
    expect(rig.log.map(({ status, error }) => [status, error])).to.deep.equal(Array(3).fill([503, fault]));
  });

  it('lets a page in path mode read the answer, like every other inside its site', async () => {
    const rig = await openRig({
      viewer: { mode: 'path' },
      ports: ({ roles }) => ({ roles: { ...roles, load: () => Promise.reject(new TypeError('a defect')) } }),
    });
    expectPage(await rig.ask(`/s/${ID}/app.js`), 500, CROSS_ORIGIN_NO_REFERRER);
  });

  it('answers 500 if a retry will not help', async () => {
    for (const error of [new Fault('store_corrupt', 'unreadable'), new TypeError('a defect')]) {
      const rig = await broken(error);
      const answer = await rig.ask(`/s/${ID}`);
      expectPage(answer, 500);
      expect(answer.text).not.to.contain(error.message);
      expect(rig.log.at(-1)?.error).to.equal(error);
    }
  });

  it('answers 503 for a missing archive', async () => {
    const rig = await openRig();
    const id = await rig.publish(SITE);
    const loaded = await rig.memory.roles.load(id);
    await rig.memory.archives.delete(loaded?.value.archive as never);
    expectPage(await rig.askSite(id, '/'), 503, { 'retry-after': '10' });
    expect(rig.log.at(-1)?.error).to.include({ code: 'archive_missing' });
  });

  it('logs a rejection without a reason, too', async () => {
    const rig = await broken(undefined);
    expectPage(await rig.ask(`/s/${ID}`), 500);
    expect(rig.log.at(-1)?.error).to.have.property('message', 'undefined was thrown');
  });

  for (const [mode, password] of [
    ['origin', undefined],
    ['path', undefined],
    ['path', PASSWORD],
  ] as const) {
    const kind = password === undefined ? 'an open' : 'a protected';

    it(`answers 404 for ${kind} site in ${mode} mode whose role has ended meanwhile`, async () => {
      const rig = await openRig({ viewer: { mode } });
      const id = await rig.publish(SITE, password);
      rig.storage.before = async (archive) => {
        await rig.stop(id);
        await rig.memory.archives.delete(archive);
      };
      const entered = password === undefined ? await rig.ask(`/s/${id}`) : await rig.enter(id, password);
      const { pathname, host } = new URL(locationOf(entered));
      const headers = { ...NAVIGATION, cookie: cookiesOf(entered) };
      const answer = await rig.ask(pathname, { host, headers });
      expectPage(answer, 404, mode === 'origin' ? FORGET : CROSS_ORIGIN_NO_REFERRER);
    });
  }
});

const useCases = {} as UseCases;

describe("the viewer's settings", () => {
  it('put sites under the public host when no other is given', () => {
    const settings = settingsOf({ useCases, publicUrl: 'http://LOCALHOST:8080/' });
    expect(settings).to.include({
      mode: 'origin',
      secure: false,
      publicUrl: 'http://localhost:8080',
      sharedPath: '/s/',
      sitesHost: 'localhost:8080',
      sitesHostname: 'localhost',
    });
  });

  it('keep the path of the public URL', () => {
    const settings = settingsOf({
      useCases,
      publicUrl: 'https://example.org/share/',
      sitesUrl: 'https://sites.example.net',
    });
    expect(settings).to.include({ secure: true, sharedPath: '/share/s/', sitesHost: 'sites.example.net' });
  });

  it('have host names without the dot of the root', () => {
    const settings = settingsOf({
      useCases,
      publicUrl: 'http://a.example./',
      sitesUrl: 'http://b.example.:81/',
    });
    expect(settings).to.include({ publicHostname: 'a.example', sitesHostname: 'b.example' });
  });

  it("use a socket's address as the client's", () => {
    const { clientAddress } = settingsOf({ useCases, publicUrl: 'http://a.example' });
    for (const [remoteAddress, address] of [
      ['192.0.2.7', '192.0.2.7'],
      [undefined, ''],
    ]) {
      expect(clientAddress({ socket: { remoteAddress } } as IncomingMessage)).to.equal(address);
    }
  });

  it('refuse anything but a plain web address, and another scheme for sites', () => {
    for (const publicUrl of [
      '',
      'example.org',
      'ftp://example.org',
      'https://example.org/?a',
      'https://example.org/#a',
    ]) {
      expect(() => settingsOf({ useCases, publicUrl }), publicUrl).to.throw(TypeError);
    }
    const noUrl = { useCases, publicUrl: 'https://a.example', sitesUrl: 'b.example' };
    expect(() => settingsOf(noUrl)).to.throw(TypeError, /^sitesUrl /);
    const mixed = { useCases, publicUrl: 'https://a.example', sitesUrl: 'http://b.example' };
    expect(() => settingsOf(mixed)).to.throw(TypeError);
    const noMode = { useCases, publicUrl: 'https://a.example', mode: 'orgin' as 'origin' };
    expect(() => settingsOf(noMode)).to.throw(TypeError, /^mode must be /);
  });

  it('require both functions of access, or neither', () => {
    const access = { identify: () => 'ada' } as unknown as ViewerAccess;
    expect(() => createViewer({ useCases, publicUrl: 'http://a.example', access })).to.throw(
      TypeError,
      'access must have the functions identify and mayView',
    );
  });
});
