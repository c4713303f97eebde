import type { Pin } from '@pinfold/client';
import { expect } from 'chai';
import { strToU8, zipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { openPage } from './chromium.ts';
import { openService, type Service } from './open-service.ts';

const SYMBOL = '<symbol id="x" viewBox="0 0 9 9"><path d="M0 0h9v9H0z"/></symbol>';
/** Tries each feature, and writes the results into the title. */
const TRIES = `
const seen = {};
const attempt = async (name, work) => {
  try { seen[name] = String(await work()); } catch (error) { seen[name] = error.name; }
};
const track = (id) => new Promise((resolve) => {
  const element = document.getElementById(id);
  element.onload = () => resolve('loads');
  element.onerror = () => resolve('fails');
  element.track.mode = 'hidden';
});
const width = (id) => document.getElementById(id).getBBox().width > 0 ? 'shows' : 'empty';
const pixelOf = async (crossOrigin) => {
  const image = Object.assign(new Image(), { ...(crossOrigin && { crossOrigin }), src: 'plain.svg' });
  await image.decode();
  const context = document.createElement('canvas').getContext('2d');
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, 1, 1).data.length;
};
addEventListener('load', async () => {
  await attempt('localStorage', () => (localStorage.x = 'works'));
  await attempt('sessionStorage', () => (sessionStorage.x = 'works'));
  await attempt('indexedDB', () => indexedDB.open('x') && 'works');
  await attempt('cookie', () => (document.cookie = 'x=1') && 'works');
  await attempt('caches', () => caches.open('x').then(() => 'works'));
  await attempt('cookieStore', () => cookieStore.getAll().then(() => 'works'));
  await attempt('files', () => navigator.storage.getDirectory().then(() => 'works'));
  await attempt('locks', () => navigator.locks.request('x', () => 'works'));
  await attempt('pixels', () => pixelOf());
  await attempt('sharedPixels', () => pixelOf('anonymous'));
  await attempt('frame', () => document.getElementById('frame').contentDocument.title);
  await attempt('worker', () => new Worker('worker.js') && 'works');
  await attempt('sharedWorker', () => new SharedWorker('worker.js') && 'works');
  await attempt('blobWorker', () => new Promise((resolve, reject) => {
    const worker = new Worker(URL.createObjectURL(new Blob(['postMessage("works")'])));
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = reject;
  }));
  await attempt('hashRoute', () => (location.hash = '#/route') && 'works');
  await attempt('track', () => track('plain'));
  await attempt('sharedTrack', () => track('shared'));
  await attempt('use', () => width('other'));
  await attempt('ownUse', () => width('own'));
  await attempt('serviceWorker', () => navigator.serviceWorker.register('worker.js').then(() => 'works'));
  await attempt('route', () => ({ '/': 'works' })[location.pathname] ?? 'no route');
  document.title = JSON.stringify(seen);
});`;

const SITE = {
  'index.html': `<!doctype html><title>trying</title><link rel="icon" href="data:,">
<script>${TRIES}</script><script src="/absolute.js"></script>
<video><track id="plain" src="a.vtt"></video><video crossorigin><track id="shared" src="a.vtt"></video>
<svg width="9" height="9">${SYMBOL}<use id="own" href="#x"/></svg>
<svg width="9" height="9"><use id="other" href="icons.svg#x"/></svg><a href="/about">About</a>
<iframe id="frame" src="about.html"></iframe>`,
  'absolute.js': 'document.documentElement.dataset.absolute = "loads"',
  'about.html': '<!doctype html><title>About the site</title>',
  'based.html':
    '<!doctype html><base href="/"><link rel="icon" href="data:,"><script src="absolute.js"></script>',
  'plain.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9v9H0z"/></svg>',
  'object.html': '<!doctype html><object data="a.pdf" type="application/pdf"></object>',
  'embed.html': '<!doctype html><embed src="a.pdf" type="application/pdf">',
  'a.pdf': '%PDF-1.4',
  'worker.js': '',
  'a.vtt': 'WEBVTT\n\n00:00.000 --> 00:01.000\nTide\n',
  'icons.svg': `<svg xmlns="http://www.w3.org/2000/svg">${SYMBOL}</svg>`,
};

/** The features that work in every mode. */
const EVERYWHERE = {
  blobWorker: 'works',
  hashRoute: 'works',
  sharedPixels: '4',
  sharedTrack: 'loads',
  ownUse: 'shows',
};

describe('a site that uses features of an origin', () => {
  for (const [mode, expected] of [
    [
      'origin',
      {
        localStorage: 'works',
        sessionStorage: 'works',
        indexedDB: 'works',
        cookie: 'works',
        caches: 'works',
        cookieStore: 'works',
        files: 'works',
        locks: 'works',
        pixels: '4',
        frame: 'About the site',
        worker: 'works',
        sharedWorker: 'works',
        track: 'loads',
        use: 'shows',
        route: 'works',
      },
    ],
    [
      'path',
      {
        localStorage: 'SecurityError',
        sessionStorage: 'SecurityError',
        indexedDB: 'SecurityError',
        cookie: 'SecurityError',
        caches: 'SecurityError',
        cookieStore: 'SecurityError',
        files: 'SecurityError',
        locks: 'SecurityError',
        pixels: 'SecurityError',
        frame: 'TypeError',
        worker: 'SecurityError',
        sharedWorker: 'SecurityError',
        track: 'fails',
        use: 'empty',
        serviceWorker: 'SecurityError',
        route: 'no route',
      },
    ],
  ] as const) {
    describe(`in ${mode} mode`, () => {
      let service: Service;
      let pin: Pin;
      let page: Page;
      before(async () => {
        service = await openService(mode);
        const files = Object.entries(SITE).map(([path, text]) => [path, strToU8(text)] as const);
        pin = await service.publish(zipSync(Object.fromEntries(files)), 'limits');
      });
      beforeEach(async () => {
        page = await openPage();
        await page.goto(pin.shared_url);
      });

      it(`${mode === 'origin' ? 'has all of them' : 'has none of them, but the documented alternatives'}`, async () => {
        await page.waitForFunction("document.title.startsWith('{')");
        const seen = JSON.parse(await page.title());
        expect(seen).to.deep.include({ ...EVERYWHERE, ...expected });
        expect(await page.locator('html').getAttribute('data-absolute')).to.equal(
          mode === 'origin' ? 'loads' : null,
        );
      });

      if (mode === 'path') {
        it('shows no PDF in an element, since its viewer is not sandboxed', async () => {
          for (const name of ['object', 'embed']) {
            const logged = page.waitForEvent('console', (message) => message.text().includes('as a plugin'));
            await page.goto(new URL(name, page.url()).href);
            expect((await logged).text()).to.include('sandboxed');
          }
        });
      }

      it(`${mode === 'origin' ? 'loads' : 'does not load'} references relative to a base that begins with a slash`, async () => {
        await page.goto(new URL('based', page.url()).href);
        expect(await page.locator('html').getAttribute('data-absolute')).to.equal(
          mode === 'origin' ? 'loads' : null,
        );
      });

      it(`${mode === 'origin' ? 'follows' : 'says why it cannot follow'} a link that begins with a slash`, async () => {
        await page.getByText('About').click();
        await page.waitForURL('**/about');
        const text = await page.locator('html').textContent();
        if (mode === 'origin') expect(text).to.include('About the site');
        else expect(text).to.include('its link begins with “/”');
      });
    });
  }
});
