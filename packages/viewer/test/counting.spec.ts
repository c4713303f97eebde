import type { OutgoingHttpHeaders } from 'node:http';
import type { RoleId } from '@pinfold/core';
import { expect } from 'chai';
import { cookiesOf } from './client.ts';
import { NAVIGATION, openRig, PASSWORD, type Rig } from './rig.ts';

const SITE = {
  'index.html': '<!doctype html><title>Harbour</title><p>Welcome to the harbour, where boats are.</p>',
  'about.xhtml': '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head></html>',
  'style.css': 'p { color: navy }',
  'tides.pdf': '%PDF-',
  'sub/index.html': '<!doctype html><title>Sub</title>',
};

/** The headers that Chromium sends over https or to localhost. */
const OPENED = { ...NAVIGATION, 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' };

interface Counting extends Rig {
  /** The events counted so far: `view` or `password`, each with its role. */
  readonly counted: readonly (readonly [what: string, role: RoleId])[];
}

async function openCounting(mode: 'origin' | 'path' = 'origin'): Promise<Counting> {
  const counted: (readonly [string, RoleId])[] = [];
  const counter = {
    viewed: (role: RoleId) => counted.push(['view', role]),
    passwordRefused: (role: RoleId) => counted.push(['password', role]),
  };
  return { ...(await openRig({ viewer: { counter, mode } })), counted };
}

describe('views', () => {
  let rig: Counting;
  before(async () => {
    rig = await openCounting();
  });
  after(() => rig.close());

  /** How many views one request counts as. */
  async function viewsOf(
    path: string,
    headers: OutgoingHttpHeaders,
    { site = SITE as Readonly<Record<string, string>>, method = 'GET' } = {},
  ): Promise<number> {
    const id = await rig.publish(site);
    await rig.askSite(id, path, { headers, method });
    return rig.counted.filter(([what, role]) => what === 'view' && role === id).length;
  }

  it('are pages that browsers open by navigation', async () => {
    expect(await viewsOf('/', OPENED)).to.equal(1);
    expect(await viewsOf('/sub/?from=mail', OPENED)).to.equal(1);
    expect(await viewsOf('/about.xhtml', OPENED)).to.equal(1);
    expect(await viewsOf('/', NAVIGATION), 'over plain http').to.equal(1);
    expect(await viewsOf('/a/route', OPENED), 'a single-page app').to.equal(1);
  });

  it('include pages that the browser has cached', async () => {
    const id = await rig.publish(SITE);
    const { headers } = await rig.askSite(id, '/', { headers: OPENED });
    const again = { ...OPENED, 'if-none-match': headers.etag };
    expect((await rig.askSite(id, '/', { headers: again })).status).to.equal(304);
    expect(rig.counted.filter(([, role]) => role === id)).to.have.lengthOf(2);
  });

  it('are neither files nor parts of a page', async () => {
    expect(await viewsOf('/style.css', { accept: 'text/css,*/*;q=0.1' })).to.equal(0);
    expect(await viewsOf('/style.css', OPENED)).to.equal(0);
    expect(await viewsOf('/tides.pdf', OPENED)).to.equal(0);
    expect(await viewsOf('/', { ...OPENED, 'sec-fetch-dest': 'iframe' }), 'a frame').to.equal(0);
    expect(await viewsOf('/', { accept: '*/*', 'sec-fetch-dest': 'empty' }), 'a script').to.equal(0);
    expect(await viewsOf('/', { accept: '*/*' }), 'a program').to.equal(0);
  });

  it('are only pages that were shown', async () => {
    const site = { 'index.html': SITE['index.html'], '404.html': '<!doctype html><title>Gone</title>' };
    expect(await viewsOf('/', OPENED, { method: 'HEAD' })).to.equal(0);
    expect(await viewsOf('/', { ...OPENED, range: 'bytes=0-3' }), 'a part').to.equal(0);
    expect(await viewsOf('/', { ...OPENED, 'if-match': '"other"' }), '412').to.equal(0);
    expect(await viewsOf('/sub', OPENED), 'the way to a folder').to.equal(0);
    expect(await viewsOf('/missing', OPENED, { site }), 'a page for what is missing').to.equal(0);
    const id = await rig.publish(SITE);
    await rig.ask(`/s/${id}`, { headers: OPENED });
    await rig.stop(id);
    await rig.askSite(id, '/', { headers: OPENED });
    expect(
      rig.counted.filter(([, role]) => role === id),
      'a redirect and a stop',
    ).to.deep.equal([]);
  });

  it('begin after the password, and wrong ones are counted', async () => {
    const id = await rig.publish(SITE, PASSWORD);
    await rig.ask(`/s/${id}`, { headers: OPENED });
    await rig.askSite(id, '/', { headers: OPENED });
    for (let n = 0; n < 3; n += 1) await rig.enter(id, 'wrong', { headers: OPENED });
    const taken = await rig.follow(await rig.enter(id, PASSWORD), OPENED);
    const inside = { ...OPENED, cookie: cookiesOf(taken) };
    expect((await rig.askSite(id, '/', { headers: inside })).status).to.equal(200);
    const counted = rig.counted.filter(([, role]) => role === id).map(([what]) => what);
    expect(counted).to.deep.equal(['password', 'password', 'password', 'view']);
  });

  it('count no password that was not checked', async () => {
    const id = await rig.publish(SITE, PASSWORD);
    for (let n = 0; n < 12; n += 1) await rig.enter(id, 'wrong');
    expect(rig.counted.filter(([, role]) => role === id)).to.have.lengthOf(10);
    const open = await rig.publish(SITE);
    await rig.enter(open, 'wrong');
    expect(rig.counted.filter(([, role]) => role === open)).to.deep.equal([]);
  });

  it('are the same in path mode, with its redirects', async () => {
    const paths = await openCounting('path');
    const open = await paths.publish(SITE);
    await paths.ask(`/s/${open}`, { headers: OPENED });
    await paths.ask(`/s/${open}/`, { headers: OPENED });
    await paths.ask(`/s/${open}/style.css`, { headers: { accept: 'text/css' } });
    const id = await paths.publish(SITE, PASSWORD);
    await paths.ask(`/s/${id}/`, { headers: OPENED });
    const entered = await paths.enter(id, PASSWORD);
    const inside = { ...OPENED, cookie: cookiesOf(entered) };
    await paths.follow(await paths.follow(entered, inside), inside);
    expect(paths.counted).to.deep.equal([
      ['view', open],
      ['view', id],
    ]);
  });
});
