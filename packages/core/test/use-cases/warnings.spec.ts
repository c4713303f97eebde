import { ReferenceFilter } from '@pinfold/archive-zip/observe';
import { expect } from 'chai';
import fc from 'fast-check';
import { warningsOf } from '../../src/domain/warnings.ts';
import { observed, rules, warnings } from './observed-site.ts';

describe('warnings of a site', () => {
  it('are none if every reference is answered', () => {
    const site = {
      'index.html': `<a href="/"><a href="docs/"><a href="docs"><a href="/docs/a"><a href="docs/a.html?x=1#y"><a href="#top">
        <a href="?q"><img src="./img/a%20b.png"><img src="img\\é.png"><a href="/deep/link"><script src="/app.js"></script>`,
      'docs/index.html':
        '<a href=".."><a href="../index.html"><a href="a"><img src="../img/%C3%A9.png"><a href="./">',
      'docs/a.html': '',
      'img/a b.png': '',
      'img/é.png': '',
      'app.js': '',
    };
    expect(rules(site)).to.deep.equal([]);
  });

  it('are none for references to other sites', () => {
    const html = `<a href="https://example.com/x"><a href="//example.com/x"><a href="mailto:a@b"><a href="javascript:x()">
      <a href="tel:1"><img src="data:,x"><a href="{{ url }}"><a href="<%= url %>"><a href="\${url}"><a href="%zz"><a href="">`;
    expect(rules({ 'index.html': html })).to.deep.equal([]);
  });

  it('treat . and .. as folders, even at the end of a reference', () => {
    const files = { 'a/b/c.html': '<a href=".."><a href=".">', 'a.txt': '', 'a/b.txt': '' };
    expect(rules(files)).to.deep.equal(['broken_reference a/b/c.html', 'broken_reference a/b/c.html']);
    expect(rules({ ...files, 'a/index.html': '', 'a/b/index.html': '' })).to.deep.equal([]);
  });

  it('are none for a slash after the name of a page, unless upper and lower case differ', () => {
    const links = '<a href="/tides/"><a href="tides/?day=1"><a href="ports/../tides/">';
    expect(rules({ 'index.html': links, 'tides.html': '', '404.html': '' })).to.deep.equal([]);
    expect(rules({ 'index.html': links, 'Tides.html': '', '404.html': '' })).to.deep.equal(
      Array.from({ length: 3 }, () => 'case_mismatch index.html'),
    );
    expect(rules({ 'index.html': links, 'tides.htm': '', '404.html': '' })).to.have.lengthOf(3);
  });

  it('name references that no file answers', () => {
    const site = {
      'index.html': '<img src="a.png"><a href="gone.html"><a href="/x/y.css">',
      'docs/a.html': '<img src="../../b.png">',
    };
    expect(rules(site)).to.deep.equal([
      'broken_reference index.html',
      'broken_reference index.html',
      'broken_reference index.html',
      'broken_reference docs/a.html',
    ]);
  });

  it('name links that only the 404 page answers', () => {
    expect(rules({ 'index.html': '<a href="/gone">', '404.html': '' })).to.deep.equal([
      'broken_reference index.html',
    ]);
    expect(rules({ 'index.html': '<a href="/gone">' })).to.deep.equal([]);
    expect(rules({ 'index.html': '<script src="/gone">', '200.html': '' })).to.deep.equal([
      'broken_reference index.html',
    ]);
  });

  it('name references that differ from a file in case only', () => {
    for (const [reference, file] of [
      ['<img src="Logo.PNG">', 'logo.png'],
      ['<a href="about.html">', 'About.html'],
      ['<a href="/about">', 'About.html'],
      ['<a href="/docs/">', 'Docs/index.html'],
      ['<a href="/docs">', 'Docs/index.html'],
    ] as const) {
      expect(rules({ 'index.html': reference, [file]: '' }), reference).to.deep.equal([
        'case_mismatch index.html',
      ]);
    }
  });

  it('name absolute references in path mode, answered or not', () => {
    const html = '<script src="/a.js"></script><img src="a.png"><img src="b/c.png">';
    const site = { 'index.html': html, 'a.js': '', 'a.png': '', 'b/c.png': '' };
    expect(rules(site)).to.deep.equal([]);
    expect(rules(site, false)).to.deep.equal(['absolute_reference index.html']);
  });

  it('name source maps and secrets, secrets first', () => {
    const site = { 'index.html': '<img src=x>', 'a.js.map': '{}', 'key.pem': `AKIA${'A'.repeat(16)}` };
    expect(rules(site)).to.deep.equal([
      'possible_secret key.pem',
      'broken_reference index.html',
      'source_map a.js.map',
    ]);
  });

  it('name files with names of secret files, unless their content has a warning', () => {
    const named = [
      ...[
        '.env.local',
        'a/.ENV.production',
        '.netrc',
        'a/.npmrc',
        '.git-credentials',
        '.htpasswd',
        '.pgpass',
      ],
      ...['.aws/credentials', 'a/.ssh/config', '.docker/config.json', 'id_rsa', 'a/ca.pem', 'store.P12'],
      ...['a/id_ed25519_sk', 'id_dsa', 'a.pfx', 'b.PPK', 'c.jks', '.ssh/a/\u2028'],
    ];
    const unnamed = [
      ...['env.local', '.environment', 'a.netrc', 'aws/credentials', '.docker/other.json', 'id_rsa.html'],
      ...['pem', 'a.pem/index.html', 'xid_rsa', '.aws'],
    ];
    const site = Object.fromEntries([...named, ...unnamed].map((path) => [path, '']));
    expect(rules(site)).to.deep.equal(named.map((path) => `possible_secret ${path}`));
    const found = warnings({ 'key.pem': `AKIA${'A'.repeat(16)}` });
    expect(found).to.deep.equal([{ rule: 'possible_secret', path: 'key.pem', secret: 'aws_access_key' }]);
  });

  it('do not name a .pem of only certificates and public keys', () => {
    const block = (label: string) => `-----BEGIN ${label}-----\nMIIB\n-----END ${label}-----\n`;
    const site = {
      'chain.pem': block('CERTIFICATE') + block('RSA PUBLIC KEY'),
      'request.pem': block('CERTIFICATE') + block('CERTIFICATE REQUEST'),
    };
    expect(rules(site)).to.deep.equal(['possible_secret request.pem']);
  });

  it('name scripts that register a service worker', () => {
    const register = "navigator.serviceWorker.register('/sw.js')";
    const registering = {
      'a.js': register,
      'b.mjs': 'navigator.serviceWorker\n  ?.register (this.url, this.options)',
      'c.html': `<script>x</script><p><script type="module">if ('serviceWorker' in navigator) ${register}`,
    };
    const others = {
      'd.html': `<pre>${register}</pre><script>1</script>`,
      'e.js': "'serviceWorker' in navigator; navigator.serviceWorker.ready; n.sharedWorker.register(a)",
      'f.txt': register,
    };
    const names = Object.keys(registering).map((path) => `service_worker ${path}`);
    expect(rules({ ...registering, ...others })).to.deep.equal(names);
  });

  it('name no service worker of scripts that Gatsby adds to every site, unless they can run', () => {
    const register = 'navigator.serviceWorker';
    const gatsby = {
      'index.html': '<meta name="generator" content="Gatsby 5.16.1">',
      'app-8e39cc8b78ddb0e29377.js': `"serviceWorker"in navigator&&${register}.register("/sw.js").then(e)`,
      '~partytown/partytown.js':
        'n.serviceWorker?n.serviceWorker.register(a+(o.swPath||"partytown-sw.js"),{scope:a}):0',
      '~partytown/debug/partytown-ww-atomics.js': 'new Worker(a);win.localStorage.x=1',
    };
    expect(rules(gatsby, true)).to.deep.equal([]);
    expect(rules(gatsby, false)).to.deep.equal([]);
    const stores = { ...gatsby, 'app-8e39cc8b78ddb0e29377.js': 'window.localStorage.x = 1' };
    expect(rules(stores, false)).to.deep.equal(['needs_origin app-8e39cc8b78ddb0e29377.js']);
    const offline = { ...gatsby, 'sw.js': '', 'own.js': `${register}.register("/own-sw.js")` };
    expect(rules(offline)).to.deep.equal([
      'service_worker app-8e39cc8b78ddb0e29377.js',
      'service_worker own.js',
    ]);
    // A page that uses Partytown contains its loader, which starts the worker.
    const loader = `<script>${gatsby['~partytown/partytown.js']}</script>`;
    expect(rules({ ...gatsby, 'a.html': loader })).to.deep.equal(['service_worker a.html']);
    const { 'index.html': page, ...scripts } = gatsby;
    expect(rules({ ...scripts, 'index.html': page.replace('Gatsby', 'Other') })).to.deep.equal([
      'service_worker app-8e39cc8b78ddb0e29377.js',
      'service_worker ~partytown/partytown.js',
    ]);
  });

  it('name settings for other servers, only at the root', () => {
    const settings = ['_redirects', '_headers', 'vercel.json', '.htaccess'];
    const site = Object.fromEntries([...settings, 'a/_redirects', 'headers'].map((path) => [path, '']));
    expect(rules(site)).to.deep.equal(settings.map((path) => `unused_server_file ${path}`));
  });

  it('end with a warning that only a part was checked', () => {
    const site = { 'index.html': '<img src="gone.png">', 'a.txt': '', 'b.txt': '', 'a.map': '' };
    const cut = observed(site).map((file) => (file.path.endsWith('.txt') ? { ...file, whole: false } : file));
    const found = warningsOf(cut, true);
    expect(found.map(({ rule }) => rule)).to.deep.equal([
      'broken_reference',
      'source_map',
      'not_all_checked',
    ]);
    expect(found.at(-1)).to.not.have.property('path');
  });

  it('include the warning that only a part was checked among the 20', () => {
    const html = Array.from({ length: 30 }, (_, n) => `<img src="${n}.png">`).join('');
    const cut = observed({ 'index.html': html }).map((file) => ({ ...file, whole: false }));
    const found = warningsOf(cut, true);
    expect(found).to.have.length(20);
    expect(found.filter(({ rule }) => rule === 'not_all_checked')).to.have.length(1);
  });

  it('never show a secret', () => {
    const [warning] = warnings({ 'a.txt': `ghp_${'z'.repeat(36)}` });
    expect(JSON.stringify(warning)).not.to.include('zz');
  });

  it('are at most 20', () => {
    const html = Array.from({ length: 30 }, (_, n) => `<img src="${n}.png">`).join('');
    expect(warnings({ 'index.html': html, 'a.map': '' })).to.have.length(20);
    const keys = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${n}`, `AKIA${'A'.repeat(16)}`]));
    expect(warnings(keys)).to.have.length(20);
  });

  it('name every rule before they repeat one', () => {
    const html = Array.from({ length: 30 }, (_, n) => `<img src="/${n}.png">`).join('');
    const site = {
      'index.html': html,
      'z.html': '<img src="gone.png">',
      'a.map': '',
      k: `AKIA${'A'.repeat(16)}`,
    };
    const found = warnings(site, false).map(({ rule }) => rule);
    expect(found.slice(0, 4)).to.deep.equal([
      'possible_secret',
      'absolute_reference',
      'broken_reference',
      'source_map',
    ]);
    expect(found).to.have.length(20);
  });

  it('name their subject, and the first 100 characters of a long reference', () => {
    const warningFor = (reference: string) =>
      warnings({ 'index.html': `<img src="${reference}">`, 'Logo.png': '' })[0];
    expect(warningFor('gone.png')).to.include({ path: 'index.html', target: 'gone.png' });
    expect(warningFor('logo.PNG')).to.include({ path: 'index.html', target: 'logo.PNG', file: 'Logo.png' });
    expect(warningFor('x'.repeat(100))).to.include({ target: 'x'.repeat(100) });
    expect(warningFor('x'.repeat(101))).to.include({ target: `${'x'.repeat(100)}…` });
  });

  it('have only texts that an export can be imported with, whatever a reference contains', () => {
    const references = [`${'x'.repeat(99)}😀.png`, 'a\0b.png', '&#0;.png', '&#xD800;.png', 'data/&#xDC00;'];
    const html = references.map((reference) => `<img src="${reference}">`).join('');
    const targets = warnings({ 'index.html': html }).map((warning) => 'target' in warning && warning.target);
    expect(targets).to.deep.equal([
      `${'x'.repeat(99)}😀…`,
      'a\ufffdb.png',
      '\ufffd.png',
      '\ufffd.png',
      'data/\ufffd',
    ]);
  });
});

describe('the filter of references', () => {
  const paths = fc.constantFrom(
    'index.html',
    'a.html',
    'A.html',
    'b/index.html',
    'b/c.js',
    'c.js',
    '404.html',
  );
  const target = fc.constantFrom(
    'a.html',
    '/a',
    'a',
    'A.HTML',
    'A',
    'b',
    'b/',
    '/b/c.js',
    '../c.js',
    'c.js',
    'gone',
    'gone.js',
    '/',
    'x:y',
    '#',
  );
  const page = fc
    .array(fc.tuple(fc.constantFrom('a', 'img'), target), { maxLength: 60 })
    .map((references) =>
      references
        .map(([tag, to], n) => (tag === 'a' ? `<a href="${to}?${n}">` : `<img src="${to}?${n}">`))
        .join(''),
    );
  const site = fc.dictionary(paths, page, { minKeys: 1 });

  it('changes no warning', () => {
    fc.assert(
      fc.property(site, fc.boolean(), (files, absolutePathsWork) => {
        let shared: ReferenceFilter | undefined;
        const filtered = observed(files, (paths) => {
          shared ??= new ReferenceFilter(paths);
          return shared;
        });
        expect(warningsOf(filtered, absolutePathsWork)).to.deep.equal(warnings(files, absolutePathsWork));
      }),
    );
  });
});
