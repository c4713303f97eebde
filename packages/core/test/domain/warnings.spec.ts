import { expect } from 'chai';
import fc from 'fast-check';
import { type EntryPath, Manifest, type ObservedFile, type Warning, warningsOf } from '../../src/index.ts';
import { observe, ReferenceSieve } from '../../src/observe.ts';

type Site = Readonly<Record<string, string>>;

function manifestOf(site: Site): Manifest {
  return new Manifest(
    Object.keys(site).map((path) => ({
      path: path as EntryPath,
      offset: 0,
      compressedSize: 0,
      size: 0,
      method: 'stored',
      crc32: 0,
      utf8: true,
    })),
  );
}

function observed(site: Site): readonly ObservedFile[] {
  return Object.entries(site).map(([path, text]) => ({ path, ...observe(path, text) }));
}

function warnings(site: Site, absolutePathsWork: boolean = true): readonly Warning[] {
  return warningsOf(manifestOf(site), observed(site), absolutePathsWork);
}

const rules = (site: Site, absolutePathsWork: boolean = true): string[] =>
  warnings(site, absolutePathsWork).map(({ rule, path }) => `${rule} ${path}`);

describe('warnings of a site', () => {
  it('are none where every reference is answered', () => {
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

  it('are none for what leads elsewhere', () => {
    const html = `<a href="https://example.com/x"><a href="//example.com/x"><a href="mailto:a@b"><a href="javascript:x()">
      <a href="tel:1"><img src="data:,x"><a href="{{ url }}"><a href="<%= url %>"><a href="\${url}"><a href="%zz"><a href="">`;
    expect(rules({ 'index.html': html })).to.deep.equal([]);
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

  it('name links that only the page for what is missing answers', () => {
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

  it('name absolute references where sites live under a path, answered or not', () => {
    const site = { 'index.html': '<script src="/a.js"></script><img src="a.png">', 'a.js': '', 'a.png': '' };
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

  it('never show a secret', () => {
    const [warning] = warnings({ 'a.txt': `ghp_${'z'.repeat(36)}` });
    expect(JSON.stringify(warning)).not.to.include('zz');
  });

  it('are 20 at most', () => {
    const html = Array.from({ length: 30 }, (_, n) => `<img src="${n}.png">`).join('');
    expect(warnings({ 'index.html': html, 'a.map': '' })).to.have.length(20);
    const keys = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${n}`, `AKIA${'A'.repeat(16)}`]));
    expect(warnings(keys)).to.have.length(20);
  });

  it('name every rule before one of them again', () => {
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

  it('cut long references', () => {
    const [warning] = warnings({ 'index.html': `<img src="${'x'.repeat(1_000)}.png">` });
    expect(warning?.detail.length).to.be.below(200);
  });
});

describe('the sieve of references', () => {
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
        const sieve = new ReferenceSieve(Object.keys(files));
        const all = observed(files);
        const sifted = all.map((file) => ({ ...file, references: sieve.sift(file.path, file.references) }));
        const manifest = manifestOf(files);
        expect(warningsOf(manifest, sifted, absolutePathsWork)).to.deep.equal(
          warningsOf(manifest, all, absolutePathsWork),
        );
      }),
    );
  });

  it('lets no more through than can be shown', () => {
    const sieve = new ReferenceSieve(['index.html', 'a.html']);
    const many = Array.from({ length: 100 }, (_, n) => ({ target: `/gone${n}.png`, navigation: false }));
    expect(sieve.sift('index.html', many)).to.have.length(20);
    expect(sieve.sift('a.html', many)).to.have.length(0);
  });
});
