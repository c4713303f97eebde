import { expect } from 'chai';
import { observe, type Reference } from '../../src/observe.ts';

const references = (html: string, path: string = 'index.html'): readonly Reference[] =>
  observe(path, html).references;
const targets = (html: string): string[] => references(html).map(({ target }) => target);

describe('the references of a page', () => {
  it('are the href and src of elements that refer to files', () => {
    const html = `<a href=1><area href=2><link rel=stylesheet href=3><script src=4></script><img src=5><iframe src=6>
      </iframe><source src=7><video src=8><audio src=9><track src=10><embed src=11><input src=12><frame src=13>
      <svg><image href=14 /><use href=15 /></svg>`;
    expect(targets(html)).to.deep.equal(Array.from({ length: 15 }, (_, n) => String(n + 1)));
  });

  it('do not come from other attributes and elements', () => {
    expect(
      targets(
        '<p src=1 href=2><form src=3><img poster=4 alt=5><a src=6 data=7><my-link href=8><meta content=9>',
      ),
    ).to.deep.equal([]);
  });

  it('are not read in elements and attributes whose names every object has', () => {
    for (const name of Object.getOwnPropertyNames(Object.prototype)) {
      const html = `<${name} style="a: url(1)" ${name}=2 href=3 src=4><a ${name}=5 href=6><img src=7>`;
      expect(targets(html), name).to.include.members(['6', '7']);
    }
    expect(targets('<constructor style="a: url(1)" href=2>')).to.deep.equal(['1']);
  });

  it('are navigations if a person follows them, else parts of the page', () => {
    const followed = '<a href=1><area href=2><iframe src=3></iframe><frame src=4>';
    expect(references(followed).map(({ navigation }) => navigation)).to.deep.equal([true, true, true, true]);
    const parts = '<img src=1><script src=2></script><svg><use href=3>';
    expect(references(parts).map(({ navigation }) => navigation)).to.deep.equal([false, false, false]);
  });

  it('are parts if a link is loaded, and navigations if it leads to a page', () => {
    for (const rel of [
      'stylesheet',
      'preload stylesheet',
      'icon',
      'SHORTCUT ICON',
      'icon shortcut',
      'modulepreload',
      'manifest',
    ]) {
      expect(references(`<link rel="${rel}" href=x>`)[0]?.navigation, rel).to.equal(false);
    }
    for (const rel of ['canonical', 'alternate', 'next', 'prefetch', 'stylesheets', 'my-icon']) {
      expect(references(`<link rel="${rel}" href=x>`)[0]?.navigation, rel).to.equal(true);
    }
  });

  it('are read as a browser reads them', () => {
    expect(targets('<a href="  a.html\n">')).to.deep.equal(['a.html']);
    expect(targets('<a href="a\nb\t.html">')).to.deep.equal(['ab.html']);
    expect(targets('<a href="a?b=1&amp;c=2">')).to.deep.equal(['a?b=1&c=2']);
    expect(targets('<a href="&#x2F;a&#47;b&quot;">')).to.deep.equal(['/a/b"']);
    expect(targets('<a href="&lt;&gt;&apos;&QUOT;&#X41;&#0065">')).to.deep.equal(['<>\'"AA']);
    expect(targets('<a href="&#128;&#150;&#x9F;&#129;&#8364;">')).to.deep.equal(['€–Ÿ\x81€']);
    expect(targets('<a href="&#x10FFFF;">')).to.deep.equal(['\u{10ffff}']);
    expect(targets('<a href="a&b&1;&#x110000;&#9999999;">')).to.deep.equal(['a&b&1;&#x110000;&#9999999;']);
  });

  it('are omitted if their path has an unknown character reference, with or without a semicolon', () => {
    const unknown = ['caf&eacute;.html', '&num;top', 'a&sol;b', 'caf&eacute.html', 'a&Ccedil;?b'];
    for (const value of unknown) expect(targets(`<a href="${value}">`), value).to.deep.equal([]);
    const known = ['R&D.html', 'a?b&copy;=1', 'a#&copy;', 'Q&A', 'a?x=&lang;', 'a&amp;copy;'];
    for (const value of known) expect(targets(`<a href="${value}">`), value).to.have.lengthOf(1);
  });

  it('include everything else that elements load or link to', () => {
    const html = `<img srcset="1 1x, 2 2x"><source srcset=3><link rel=preload imagesrcset="4 100w, 5 200w">
      <video poster=6></video><object data=7></object><form action=8><button formaction=9></button>
      <input type=submit formaction=10></form><meta http-equiv=refresh content="0; url=11">
      <svg><use xlink:href=12 /><image xlink:href=13 /><a xlink:href=14></a></svg>
      <style>a{background:url(15)}</style><p style="background:url('16'), url(&quot;17&quot;)">
      <script type=module>import './18'; import('./no')</script><script>import './no'</script>`;
    expect(targets(html).map((target) => target.replace('./', ''))).to.deep.equal(
      Array.from({ length: 18 }, (_, n) => String(n + 1)),
    );
    const followed = references(html).filter(({ navigation }) => navigation);
    expect(followed.map(({ target }) => target)).to.deep.equal(['8', '9', '10', '11', '14']);
  });

  it('are each listed once, and only from HTML', () => {
    expect(targets('<a href=x></a><img src=x><a href=y>')).to.deep.equal(['x', 'y']);
    expect(references('<a href=x>', 'a.js')).to.deep.equal([]);
    expect(references('<a href=x>', 'a.html.js')).to.deep.equal([]);
    expect(references('<a href=x>', 'a.HTM')).to.have.length(1);
  });

  it('are relative to the first base, except parts before it', () => {
    const html = '<img src=1><a href=2><base href=" ./app/ "><img src=3><base href=other/><a href=4>';
    expect(references(html)).to.deep.equal([
      { target: '1', navigation: false },
      { target: '2', navigation: true, base: './app/' },
      { target: './app/', navigation: false, isBase: true },
      { target: '3', navigation: false, base: './app/' },
      { target: '4', navigation: true, base: './app/' },
    ]);
    for (const none of [
      '<base target=_blank>',
      '<noscript><base href="/x/"></noscript>',
      '<base href="data:text/plain,x">',
      '<base href="javascript:1">',
    ]) {
      expect(references(`${none}<a href=x>`), none).to.deep.equal([{ target: 'x', navigation: true }]);
    }
  });

  it('are not data URLs: all have at most 2,048 characters', () => {
    expect(targets(`<img src="data:image/png;base64,${'A'.repeat(3_000)}">`)).to.deep.equal([]);
    expect(targets(`<img src="${'a'.repeat(2_048)}"><img src="${'b'.repeat(2_049)}">`)).to.deep.equal([
      'a'.repeat(2_048),
    ]);
  });

  it('end once their work is used up', () => {
    const html = Array.from({ length: 2_500 }, (_, n) => `<img src=${n}>`).join('');
    const { references: some, whole } = observe('index.html', html, { work: 10_000 });
    expect(whole).to.equal(false);
    expect(some.length).to.be.within(150, 250);
    expect(some.map(({ target }) => target)).to.deep.equal(targets(html).slice(0, some.length));
    expect(observe('index.html', html, { work: 200_000 })).to.deep.include({ whole: true });
  });

  it('cost little when they are repeated', () => {
    const html = '<img src=a.png>'.repeat(1_000);
    expect(observe('index.html', html, { work: 9_000 })).to.deep.include({ whole: true });
    expect(observe('index.html', '<a>'.repeat(10_000), { work: 0 })).to.deep.include({ whole: true });
  });

  it('cost the length of the page only once for each folder to which they lead', () => {
    const page = `${'a/'.repeat(500)}index.html`;
    const count = (html: string) => observe(page, html, { work: 20_000 }).references.length;
    const many = Array.from({ length: 400 }, (_, n) => n);
    const into = (folder: (n: number) => string) =>
      count(many.map((n) => `<a href="${folder(n)}${n}">`).join(''));
    expect(into(() => '')).to.be.above(300);
    expect(into(() => '../../b/')).to.be.above(250);
    for (const slash of ['/', '\\', '%2F', '&#47;'])
      expect(
        into((n) => `${n}${slash}`),
        slash,
      ).to.be.below(20);
  });

  it('are read no further once the checkpoint throws', () => {
    const html = '<img src=a.png>'.repeat(10_000);
    let calls = 0;
    const checkpoint = () => {
      calls += 1;
      if (calls === 3) throw new Error('stopped');
    };
    expect(() => observe('index.html', html, { work: Number.POSITIVE_INFINITY, checkpoint })).to.throw(
      'stopped',
    );
  });
});
