import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Fault, OPERATOR, type Publication } from '@pinfold/core';
import { listedKeys } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import express from 'express';
import { createManagement } from '../src/index.ts';
import { screenOf } from '../src/options.ts';
import { routesOf } from '../src/routes.ts';
import { OWNER, openScreen, openSignedIn, person, screen, zipOf } from './open-screen.ts';
import { Person } from './person.ts';

const HOSTILE = [
  `<script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `' onmouseover='alert(1)`,
  '</title><svg/onload=alert(1)>',
  '{{7*7}}<%= 7*7 %>',
  'javascript:alert(1)',
  '\u202eevil\u2066',
];

describe('the guards of the screen', () => {
  let role: Publication;
  let form: string;
  beforeEach(async () => {
    await openSignedIn();
    role = await screen.publish('Report');
    form = (await person.get('/')).token;
  });

  async function tryToStop(
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const answer = await person.post(`/publications/${role.id}/stop`, fields, headers);
    return { status: answer.status, happened: (await screen.read(role.id)).deletedAt !== null };
  }

  it('pass on unknown paths, and let no other origin read a page', async () => {
    const publicUrl = 'http://localhost';
    const { useCases, sessions } = screen;
    const app = express()
      .use((_request, response, next) => {
        response.set('Access-Control-Allow-Origin', 'https://other.example');
        next();
      })
      .use('/manage', createManagement({ useCases, sessions, publicUrl }))
      .use((request, response) => void response.send(`own ${request.url}`));
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' });
    for (const path of [
      '/manage/reports',
      '/manage/assets/none.css',
      '/manage/keys/%zz',
      '/manage/publish',
    ]) {
      expect(await (await ask(path)).text(), path).to.equal(`own ${path}`);
    }
    const page = await ask('/manage/sign-in');
    expect([page.status, page.headers.get('access-control-allow-origin')]).to.deep.equal([200, null]);
    server.close();
    server.closeAllConnections();
  });

  it('answer 404 to an undecodable address, and reveal nothing', async () => {
    for (const path of ['publications', 'assets', 'administration/accounts', 'keys/x']) {
      const { status, text, headers } = await new Person(screen.base).get(`/${path}/%zz`);
      expect(status, path).to.equal(404);
      expect(text).to.include('Page not found').and.not.include('node_modules');
      expect(headers.get('cache-control')).to.equal('no-store');
    }
    expect((await person.post('/keys/%ff/revoke', { form })).status).to.equal(404);
  });

  it('read the query themselves, whatever parser the application has set', async () => {
    const hostile = ['/?language', '/stop?id', '/stop?id[0]', `/publications/${role.id}?files`];
    for (const parser of ['extended', false]) {
      const [app] = screen.server.listeners('request') as express.Express[];
      app?.set('query parser', parser);
      for (const path of hostile)
        expect((await person.get(`${path}[toString]=1`)).status, `${path} ${parser}`).to.be.oneOf([200, 303]);
      const { text } = await person.get(`/stop?id=${role.id}`);
      expect(text, String(parser)).to.include('<li dir="auto">Report</li>');
      expect((await person.get('/?q=none')).text).not.to.include('Report');
    }
  });

  it('refuse a form without the session’s token', async () => {
    const other = await screen.signedIn();
    const { token: theirs } = await other.get('/');
    for (const fields of [
      {},
      { form: '' },
      { form: 'x' },
      { form: theirs },
      { form: `${form}x` },
      { form: form.slice(1) },
    ]) {
      expect(await tryToStop(fields as Record<string, string>)).to.deep.equal({
        status: 403,
        happened: false,
      });
    }
    expect(await tryToStop({ form })).to.deep.equal({ status: 303, happened: true });
  });

  it('call no changing handler without a token, or from another site', async () => {
    const { useCases, keys, sessions, url: publicUrl } = screen;
    const changing = routesOf(screenOf({ useCases, keys, sessions, publicUrl })).filter(
      ({ method }) => method === 'post',
    );
    expect(changing.length).to.be.greaterThan(10);
    for (const { path } of changing) {
      const named = path.replace(':id', role.id).replace(':key', 'x');
      const archive = new FormData();
      archive.append('archive', new Blob([zipOf({ 'index.html': 'x' })]), 'a.zip');
      const answer = await person.post(named, path === '/publish' ? archive : { title: 'x' });
      expect(answer.status, path).to.equal(403);
      const foreign = await person.post(named, { form }, { 'sec-fetch-site': 'cross-site' });
      expect(foreign.status, `${path} from another site`).to.equal(403);
    }
    expect(await screen.owned()).to.deep.equal([role]);
    expect(await listedKeys(keys, OWNER)).to.deep.equal([]);
  });

  it('accept forms from the screen’s own pages only, for all kinds of browsers', async () => {
    const sibling = `http://${role.id}.${new URL(screen.base).host}`;
    for (const [headers, status] of [
      [{ 'sec-fetch-site': 'cross-site' }, 403],
      [{ 'sec-fetch-site': 'same-site', origin: screen.url }, 403],
      [{ origin: sibling }, 403],
      [{}, 303],
      [{ origin: screen.url.toUpperCase() }, 303],
    ] as const) {
      const pinned = await person.post(`/publications/${role.id}/pin`, { form }, headers);
      expect(pinned.status, JSON.stringify(headers)).to.equal(status);
      expect((await screen.read(role.id)).pinned).to.equal(status === 303);
    }
  });

  it('refuse forms of an ended session, and in a new session', async () => {
    const before = person.twin();
    await person.post('/sign-out', { form });
    const late = await before.post(`/publications/${role.id}/stop`, { form });
    expect(late.location).to.equal('/manage/sign-in');
    await person.signIn((await screen.sessions.offerLink(OWNER)).token);
    expect(await tryToStop({ form })).to.deep.equal({ status: 403, happened: false });
  });

  it('change nothing by GET', async () => {
    for (const verb of ['pin', 'unpin', 'renew', 'rename', 'password']) {
      expect((await person.get(`/publications/${role.id}/${verb}`)).status, verb).to.equal(404);
    }
    expect(await screen.read(role.id)).to.deep.equal(role);
  });

  it('refuse oversized and malformed forms', async () => {
    const long = { form, title: 'x'.repeat(20_000) };
    expect((await person.post(`/publications/${role.id}/rename`, long)).status).to.equal(413);
    const headers = { 'content-type': 'application/json' };
    expect(await tryToStop({ form }, headers)).to.deep.equal({ status: 403, happened: false });
    const twice = new URLSearchParams([
      ['form', form],
      ['form', form],
    ]);
    expect((await person.post(`/publications/${role.id}/stop`, twice)).status).to.equal(403);
  });

  it('refuse a too large form before its end', async () => {
    const form = 'Content-Type: application/x-www-form-urlencoded';
    for (const [path, length, sent] of [
      ['/sign-in', 'Content-Length: 16385', ''],
      ['/sign-in', 'Content-Length: 50000000', 'key=x'],
      ['/sign-in', 'Transfer-Encoding: chunked', `5000\r\n${'k'.repeat(0x5000)}\r\n`],
      ['/keys', 'Content-Length: 50000000', 'label=x'],
    ] as const) {
      const connection = await new Person(screen.base).begin(`POST /manage${path}`, form, length);
      await connection.send(sent);
      // The clock stands still in this test, so a request that waits for it would never be answered.
      expect((await connection.answer()).status, `${path} ${length}`).to.equal(413);
      connection.destroy();
    }
    expect(screen.log.at(-1)).to.include({ status: 413 }).and.not.to.have.property('error');
  });

  it('escape the texts of people everywhere', async () => {
    for (const text of HOSTILE) {
      const hostile = await screen.publish(text, {
        'index.html': 'x',
        [`${text.replaceAll(/[/:\\]/g, '')}.txt`]: 'x',
      });
      await screen.keys.create({ by: OPERATOR, account: OWNER, label: text });
      const pages = [
        await person.get('/'),
        await person.get(`/?q=${encodeURIComponent(text)}`),
        await person.get(`/publications/${hostile.id}`),
        await person.get(`/publications/${hostile.id}/stop`),
        await person.get('/keys'),
      ];
      for (const page of pages) {
        expect(page.status).to.equal(200);
        expect(page.text).not.to.match(/<script>|<img(?! class="code" src="\/manage\/)|<svg\/|onmouseover='/);
      }
    }
  });

  it('allow only the screen’s own scripts, frames and forms', async () => {
    for (const path of ['/', '/keys', '/sign-in', '/nowhere', `/publications/${role.id}`]) {
      const { headers, text } = await person.get(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy, path)
        .to.include("default-src 'none'")
        .and.include("frame-ancestors 'none'")
        .and.include("form-action 'self'");
      expect(policy).not.to.match(/unsafe|\*|https?:|data:/);
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
      for (const [tag] of text.matchAll(/<script[^>]*>/g))
        expect(tag).to.include(`nonce="${nonce}"`).and.include('src=');
      expect(text, 'inline').not.to.match(/<style|\sstyle=|\son\w+=/);
    }
  });

  it('let browsers cache assets forever, by names that change with their content', async () => {
    const { text } = await person.get('/');
    const assets = [...text.matchAll(/\/manage(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(assets.length).to.be.greaterThan(3);
    for (const path of assets) {
      const { status, headers } = await person.get(path);
      expect(status, path).to.equal(200);
      expect(headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
      for (const [accepted, coding] of [
        ['gzip, br', 'gzip'],
        ['gzip;q=0.5, identity', null],
      ] as const) {
        const answer = await person.get(path, { 'accept-encoding': accepted });
        expect(answer.headers.get('content-encoding'), accepted).to.equal(coding);
      }
    }
    for (const path of ['/assets/x.js', '/assets/..%2f..%2fpackage.json', '/assets/manifest.json']) {
      expect((await person.get(path)).status, path).to.equal(404);
    }
  });

  it('answer HEAD with the head of an asset, even in a server that accepts no body for it', async () => {
    const { useCases, sessions, url: publicUrl } = screen;
    const app = express().use('/manage', createManagement({ useCases, sessions, publicUrl }));
    const server = createServer({ rejectNonStandardBodyWrites: true }, app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { style } = screenOf({ useCases, sessions, publicUrl }).assets.names;
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/manage/assets/${style}`;
    try {
      const [head, whole] = [await fetch(address, { method: 'HEAD' }), await fetch(address)];
      expect([head.status, whole.status]).to.deep.equal([200, 200]);
      expect(head.headers.get('content-length')).to.equal(whole.headers.get('content-length'));
      expect(await head.text()).to.equal('');
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  it('answer that the service is busy if a store fails, and log the fault', async () => {
    const broken = await openScreen({
      ports: ({ roles }) => ({
        roles: Object.assign(Object.create(roles), {
          list: () => Promise.reject(new Fault('store_unavailable', 'gone')),
        }),
      }),
    });
    const someone = await broken.signedIn();
    const page = await someone.get('/');
    expect(page.status).to.equal(503);
    expect(page.headers.get('retry-after')).to.equal('5');
    expect(broken.log.at(-1)).to.include({ status: 503, route: '/manage/' });
    expect(broken.log.at(-1)?.error).to.include({ code: 'store_unavailable' });
  });
});
