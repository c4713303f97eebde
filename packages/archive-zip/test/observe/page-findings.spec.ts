import { expect } from 'chai';
import { observeBytes } from '../../src/observe/observe.ts';
import { observe } from '../../src/observe.ts';

describe('the references of files that are not pages', () => {
  const references = (text: string, path: string) => observe(path, text).references;

  it('come from style sheets, modules and web app manifests', () => {
    expect(references('a{b:url(x.png)}', 'a.CSS').map(({ target }) => target)).to.deep.equal(['x.png']);
    expect(references('import "./x.js"', 'a.mjs')).to.deep.equal([
      { target: './x.js', navigation: false, isModule: true },
    ]);
    const icons = JSON.stringify({ start_url: '.', icons: [{ src: 'i.png' }] });
    for (const path of ['site.webmanifest', 'a/manifest.json']) {
      expect(references(icons, path), path).to.deep.equal([
        { target: 'i.png', navigation: false },
        { target: '.', navigation: true },
      ]);
    }
    expect(references(icons, 'data.json')).to.deep.equal([]);
    expect(references('a{b:url(x.png)}', 'a.txt')).to.deep.equal([]);
  });
});

describe('a feature that needs an origin of its own', () => {
  const needs = (text: string, path = 'index.html') => observe(path, text).originNeeds ?? [];

  for (const [need, text] of [
    ['storage', '<script>localStorage.x = 1</script>'],
    ['storage', '<script type="module">try { window.sessionStorage["a"] } catch {}</script>'],
    ['storage', "<script>indexedDB.open('x')</script>"],
    ['storage', '<script>document.cookie="a=b"</script>'],
    ['storage', '<script>caches.open("a")</script>'],
    ['storage', '<script>x = await window.caches.match("a")</script>'],
    ['storage', '<script>cookieStore.get("a")</script>'],
    ['worker', '<script>new Worker("w.js")</script>'],
    ['worker', '<script>const w = new window.SharedWorker ( url )</script>'],
    ['storage', '<script>a(); // b\n/* c */ localStorage.x = 1</script>'],
    ['storage', '<script>class A {\n  *keys() { localStorage.x }\n}</script>'],
    ['worker', `<script>// ${' '.repeat(300)}new Worker("w.js")</script>`],
    ['storage', '<SCRIPT>localStorage.x = 1</SCRIPT>'],
    ['storage', '<script data-type="text/plain">localStorage.x = 1'],
    ['storage', '<p class=a ONCLICK=localStorage.clear()>'],
    ['storage', `<body onload="x(); document.cookie='a=b'">`],
    ['storage', '<a href="#" onclick="localStorage[&quot;a&quot;] = 1">'],
    ['storage', '<a href=" JavaScript:localStorage.clear()">'],
    ['worker', '<button oninput="new Worker&#40;url)">'],
    ['track', '<video src=a.mp4><track src=a.vtt></video>'],
    ['external_use', '<svg><use href="icons.svg#a"/></svg>'],
    ['external_use', '<svg><use xlink:href="./icons.svg#a"/></svg>'],
    ['embedded_pdf', '<iframe src="a.pdf#page=2"></iframe>'],
    ['embedded_pdf', '<object data="docs/A.PDF"></object>'],
    ['embedded_pdf', '<embed src="/a.pdf?x">'],
  ] as const) {
    it(`is ${need} in ${text}`, () => {
      expect(needs(text)).to.deep.equal([need]);
      if (!text.includes('<script')) return;
      const script = text.replaceAll(/<[^>]*>/g, '');
      expect(needs(script, 'a.js')).to.deep.equal([need]);
      expect(observeBytes('a.cjs', Buffer.from(script)).originNeeds).to.deep.equal([need]);
    });
  }

  for (const text of [
    '<p>localStorage, new Worker("x")</p>',
    '<p title="localStorage.x" data-onclick="localStorage.x" on-click="localStorage.x" on="localStorage.x">',
    '<p onclick="useLocalStorage()" onfocus="// localStorage.x" onblur="new WorkerPool()">',
    '<script>a()</SCRIPT><p>localStorage.x',
    '<!-- <script>localStorage.x</script> --><textarea><script>localStorage.x</script></textarea>',
    '<scripts>localStorage.x</scripts><script TYPE=" Text/x-template">localStorage.x</script>',
    '<!-- <p onclick="localStorage.x"> --><a href="#javascript:localStorage.x">',
    '<script type="application/ld+json">{"a": "localStorage"}</script>',
    '<script>useLocalStorage(); myLocalStorage; localStorageKey; a.cookies; new WorkerPool(); worker</script>',
    '<script>this.caches.open(); my.window.caches.keys(); caches.push(1); mycaches.open(); cookieStores</script>',
    '<script>class Worker {}; Worker.x; renew Worker</script>',
    '<script>\n// new Worker("w.js")\n/**\n * Needs localStorage.\n\t* And new SharedWorker(url). */\n</script>',
    '<video crossorigin><source src=a.mp4><track src=a.vtt></video>',
    '<svg><use href="#a"/><use href=""/><use href="https://example.com/i.svg#a"/></svg>',
    '<iframe src="https://example.com/a.pdf"></iframe><a href="a.pdf"><iframe src="a.pdf.html"></iframe>',
  ]) {
    it(`is not found in ${text}`, () => {
      expect(needs(text)).to.deep.equal([]);
    });
  }

  it('is a service worker that a handler registers', () => {
    const html = `<body onload="navigator.serviceWorker.register('sw.js')">`;
    expect(observe('index.html', html).serviceWorker).to.equal(true);
    expect(observe('index.html', `<p title="${html.replaceAll('"', '')}">`).serviceWorker).to.equal(
      undefined,
    );
  });

  it('is a Referer if a player needs one, and neither the element nor the page sends it', () => {
    const embeds = (html: string) => observe('index.html', html).withoutReferrer ?? [];
    const player = 'https://www.youtube-nocookie.com/embed/x?a=1&amp;b=2';
    expect(embeds(`<iframe src="${player}"></iframe>`)).to.deep.equal([player.replace('&amp;', '&')]);
    expect(embeds('<iframe src="//youtube.com/embed/x" referrerpolicy=same-origin>')).to.have.lengthOf(1);
    expect(embeds(`<meta name=referrer content=no-referrer><iframe src="${player}">`)).to.have.lengthOf(1);
    expect(embeds(`<iframe src="${player}" referrerpolicy="cross-origin"></iframe>`)).to.have.lengthOf(1);
    for (const html of [
      `<iframe src="${player}" referrerpolicy="strict-origin-when-cross-origin"></iframe>`,
      `<iframe src="${player}"></iframe><meta name="Referrer" content="origin">`,
      '<iframe src="https://player.vimeo.com/video/1"></iframe><a href="https://www.youtube.com/embed/x">',
      '<iframe src="https://example.com/?u=https://www.youtube.com/embed/x"></iframe>',
    ]) {
      expect(embeds(html), html).to.deep.equal([]);
    }
  });
});

describe('the tool that made a page', () => {
  for (const [tool, html] of [
    ['astro', '<meta name="generator" content="Astro v7.1.0">'],
    [
      'docusaurus',
      '<meta name="generator" content="Docusaurus v3.9"><script src="/assets/js/main.aaaaaaaa.js">',
    ],
    ['hugo', '<META CONTENT="Hugo 0.160.0" NAME="Generator">'],
    ['next', '<script src="/_next/static/chunks/main.js"></script>'],
    ['nuxt', '<link rel=stylesheet href="/_nuxt/entry.css">'],
    ['sveltekit', '<link rel=modulepreload href="./_app/immutable/entry/start.js">'],
    ['blazor', '<script src="_framework/blazor.webassembly.js"></script>'],
    ['flutter', '<base href="/"><script src="flutter_bootstrap.js" async></script>'],
    ['angular', '<base href="/"><app-root></app-root>'],
    ['angular', '<my-shop ng-version="22.0.1"></my-shop>'],
    ['create_react_app', '<script defer src="/static/js/main.1a2b3c4d.js"></script>'],
    ['vite', '<script type=module src="/assets/index-B1xYz_2w.js"></script>'],
    [
      'vitepress',
      '<script type=module src="/assets/app.B1xYz_2w.js"></script><meta name=generator content="VitePress v2">',
    ],
    [undefined, '<meta name=generator content="Pen and paper"><script src="app.js"></script>'],
  ] as const) {
    it(`is ${tool ?? 'unknown'} by ${html}`, () => {
      expect(observe('index.html', html).tool).to.equal(tool);
    });
  }
});

describe('a page with a long value', () => {
  // A reader whose time grows with the square of the length would exceed the test's time limit.
  const blank = '\t'.repeat(1_000_000);
  for (const [what, tag] of [
    ['a policy of referrers', (value: string) => `<meta name=referrer content="${value}">`],
    ['the name of a meta', (value: string) => `<meta name="${value}" content=x>`],
    ['a refresh', (value: string) => `<meta http-equiv=refresh content="${value}">`],
    [
      'the policy of an embed',
      (value: string) => `<iframe src="https://www.youtube.com/embed/x" referrerpolicy="${value}"></iframe>`,
    ],
    ['a document', (value: string) => `<embed src="x.pdf${value}">`],
    ['an address', (value: string) => `<a href="${value}">`],
    ['a base', (value: string) => `<base href="${value}">`],
    ['a style', (value: string) => `<p style="a:url(${value})">`],
    ['a handler', (value: string) => `<p onclick="Worker${value}">`],
    ['many handlers', (value: string) => `<p${value.replaceAll(/\t{10}/g, ' onx=DB')}>`],
  ] as const) {
    it(`is read to its end: ${what}`, () => {
      for (const value of [blank, `${blank}O`, `0${blank}`, `0${blank}O`]) {
        expect(
          observe('index.html', `${tag(value)}<a href="last.html">`).references.at(-1)?.target,
          value[0],
        ).to.equal('last.html');
      }
    });
  }
});
