import { expect } from 'chai';
import { rules, warnings } from './observed-site.ts';

describe('warnings of references and features', () => {
  it('name references of style sheets, manifests and other attributes, missing, in another case or absolute', () => {
    for (const [path, text, file] of [
      ['css/a.css', '@import "../B.css";', 'b.css'],
      ['css/a.css', 'a{b:url(../Fonts/x.woff2)}', 'fonts/x.woff2'],
      ['app.webmanifest', '{"icons":[{"src":"Icon.png"}]}', 'icon.png'],
      ['index.html', '<img srcset="Big.png 2x">', 'big.png'],
      ['index.html', '<style>a{b:url(Sky.jpg)}</style>', 'sky.jpg'],
      ['index.html', '<p style="background:url(Sky.jpg)">', 'sky.jpg'],
      ['index.html', '<video poster="Film.jpg">', 'film.jpg'],
      ['index.html', '<object data="Map.svg"></object>', 'map.svg'],
      ['index.html', '<script type=module>import "./Main.js"</script>', 'main.js'],
    ] as const) {
      expect(rules({ [path]: text, [file]: '' }), text).to.deep.equal([`case_mismatch ${path}`]);
      expect(rules({ [path]: text }), text).to.deep.equal([`broken_reference ${path}`]);
    }
    const css = { 'index.html': '', 'a/b.css': 'a{b:url(/x.png)}', 'x.png': '' };
    expect(rules(css)).to.deep.equal([]);
    expect(rules(css, false)).to.deep.equal(['absolute_reference a/b.css']);
  });

  it('judge the references of a page by its base', () => {
    const page = '<base href="/"><script src="main.js"></script><link rel=stylesheet href="gone.css">';
    const site = { 'docs/index.html': page, 'main.js': '', 'index.html': '' };
    expect(warnings(site)).to.deep.equal([
      { rule: 'broken_reference', path: 'docs/index.html', target: 'gone.css' },
    ]);
    expect(warnings(site, false)).to.deep.equal([
      { rule: 'absolute_reference', path: 'docs/index.html', target: '/' },
      { rule: 'broken_reference', path: 'docs/index.html', target: 'gone.css' },
    ]);
    const elsewhere = { 'index.html': '<base href="https://example.com/"><img src="gone.png"><a href="/x">' };
    expect([...rules(elsewhere), ...rules(elsewhere, false)]).to.deep.equal([]);
    expect(rules({ 'index.html': '<base href="./"><img src="a.png">', 'a.png': '' }, false)).to.deep.equal(
      [],
    );
  });

  it('judge the imports of a script only if a page loads it as a module', () => {
    const scripts = {
      'app/main.js': 'import "./part.js"; import "./gone.js"',
      'app/part.js': 'export * from "../Lib/x.js"',
      'lib/x.js': 'import "./also-gone.js"',
      'source/main.js': 'import App from "./App"; import "./a.css"',
    };
    expect(rules({ 'index.html': '<script src="app/main.js"></script>', ...scripts })).to.deep.equal([]);
    for (const load of [
      '<script type="module" src="app/main.js"></script>',
      '<link rel="modulepreload" href="app/main.js">',
      '<script type="module">import x from "./app/main.js"</script>',
      '<base href="app/"><script type="module" src="main.js"></script>',
    ]) {
      expect(rules({ ...scripts, 'index.html': load }), load).to.deep.equal([
        'broken_reference app/main.js',
        'case_mismatch app/part.js',
      ]);
    }
    const small = { ...scripts, 'app/part.js': 'export * from "../lib/x.js"' };
    expect(rules({ ...small, 'index.html': '<script type=module src=app/main.js>' })).to.deep.equal([
      'broken_reference app/main.js',
      'broken_reference lib/x.js',
    ]);
  });

  it('name each feature that needs an origin once, and only in path mode', () => {
    const site = {
      'a.html': '<video><track src="x.vtt"></video><script>localStorage.a</script>',
      'b.html': '<video><track src="x.vtt"></video><script>new Worker("w.js")</script>',
      'w.js': 'indexedDB.open("x")',
      'x.vtt': '',
    };
    expect(rules(site)).to.deep.equal([]);
    expect(warnings(site, false)).to.deep.equal([
      { rule: 'needs_origin', path: 'a.html', need: 'storage' },
      { rule: 'needs_origin', path: 'a.html', need: 'track' },
      { rule: 'needs_origin', path: 'b.html', need: 'worker' },
    ]);
  });

  it('name embeds that ask for a Referer, wherever the site is shown', () => {
    const target = 'https://www.youtube.com/embed/x';
    const site = { 'index.html': '', 'film.html': `<iframe src="${target}"></iframe>` };
    for (const absolutePathsWork of [true, false]) {
      expect(warnings(site, absolutePathsWork)).to.deep.equal([
        { rule: 'needs_referrer', path: 'film.html', target },
      ]);
    }
  });

  it('name the path that the site was built for, where a site has an origin of its own', () => {
    const astro = '<script type="module" src="/repo/_astro/page.DZDqWHpW.js"></script>';
    const site = { 'index.html': astro, '_astro/page.DZDqWHpW.js': '' };
    const target = '/repo/_astro/page.DZDqWHpW.js';
    expect(warnings(site)).to.deep.equal([
      { rule: 'broken_reference', path: 'index.html', target, basePath: '/repo/' },
    ]);
    const angular = '<base href="/repo/"><app-root></app-root><script src="main-SVE32M54.js"></script>';
    const app = { 'index.html': angular, 'main-SVE32M54.js': '' };
    const broken = { rule: 'broken_reference', path: 'index.html', target: 'main-SVE32M54.js' } as const;
    expect(warnings(app)).to.deep.equal([{ ...broken, basePath: '/repo/' }]);
    // There, no path is right, and the tool's setting for relative references is the advice.
    expect(warnings(app, false)).to.deep.include(broken);
  });

  it('name the tool that made the site if references lead out of it', () => {
    const html = '<meta name="generator" content="VitePress v2.0"><a href="/a">';
    expect(warnings({ 'a.html': '<a href="/b">', 'b.html': html }, false)).to.deep.equal([
      { rule: 'absolute_reference', path: 'a.html', target: '/b', tool: 'vitepress' },
      { rule: 'absolute_reference', path: 'b.html', target: '/a', tool: 'vitepress' },
    ]);
  });
});
