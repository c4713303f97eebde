import { expect } from 'chai';
import fc from 'fast-check';
import { observeBytes } from '../../src/observe/observe.ts';
import { isObservable, observe, type Reference } from '../../src/observe.ts';

const references = (html: string, path: string = 'index.html'): readonly Reference[] =>
  observe(path, html).references;
const targets = (html: string): string[] => references(html).map(({ target }) => target);
const secrets = (text: string, path: string = 'a.js'): readonly string[] => observe(path, text).secrets;

const BODY = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj';

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

  it('are no data: all have at most 2,048 characters', () => {
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
    let looks = 0;
    const checkpoint = () => {
      looks += 1;
      if (looks === 3) throw new Error('stopped');
    };
    expect(() => observe('index.html', html, { work: Number.POSITIVE_INFINITY, checkpoint })).to.throw(
      'stopped',
    );
  });
});

describe('a possible secret', () => {
  for (const [kind, text] of [
    ['private_key', `-----BEGIN PRIVATE KEY-----\n${BODY}`],
    ['private_key', `-----BEGIN RSA PRIVATE KEY-----\r\n${BODY}`],
    ['private_key', `-----BEGIN OPENSSH PRIVATE KEY-----\n${BODY}`],
    ['private_key', '-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED'],
    ['private_key', '-----BEGIN PRIVATE KEY-----\nabc=\n-----END PRIVATE KEY-----'],
    ['private_key', '-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\nlQOYBGWh'],
    ['private_key', `{"private_key":"-----BEGIN PRIVATE KEY-----\\n${BODY}"}`],
    ['aws_access_key', 'id = AKIAIOSFODNN7EXAMPLE'],
    ['github_token', `ghp_${'a'.repeat(36)}`],
    ['github_token', `github_pat_${'a'.repeat(82)}`],
    ['gitlab_token', `glpat-${'a'.repeat(20)}`],
    ['slack_token', `xoxb-${'1'.repeat(24)}`],
    ['stripe_secret_key', `sk_live_${'a'.repeat(24)}`],
    ['anthropic_api_key', `sk-ant-api03-${'a'.repeat(90)}`],
    ['openai_api_key', `sk-proj-${'a'.repeat(60)}`],
    ['npm_token', `npm_${'a'.repeat(36)}`],
    ['pinfold_api_key', `pf_abcdefgh12_${'a'.repeat(43)}`],
  ] as const) {
    it(`is a ${kind}: ${text.slice(0, 40)}`, () => {
      expect(secrets(`const x = "${text}";`)).to.deep.equal([kind]);
    });
  }

  for (const text of [
    'pem.replace("-----BEGIN PRIVATE KEY-----", "")',
    '"-----BEGIN PRIVATE KEY-----\\n" + body',
    `-----BEGIN PUBLIC KEY-----\n${BODY}`,
    `-----BEGIN CERTIFICATE-----\n${BODY}`,
    'AKIA',
    `XAKIA${'A'.repeat(16)}`,
    `pk_live_${'a'.repeat(24)}`,
    `sk_test_${'a'.repeat(24)}`,
    'npm_config_registry',
    'ghp_short',
    'github_pat_ is how they begin',
    'sk-proj-x',
  ]) {
    it(`is not ${text.slice(0, 50)}`, () => {
      expect(secrets(text)).to.deep.equal([]);
    });
  }

  it('is reported once for a file, by kind, and never shown', () => {
    const token = `ghp_${'b'.repeat(36)}`;
    const found = secrets(`${token} ${token} npm_${'c'.repeat(36)}`);
    expect(found).to.have.members(['github_token', 'npm_token']);
    expect(found.join()).not.to.include('bbb');
  });

  it('is reported after any number of another kind', () => {
    const tokens = `ghp_${'b'.repeat(36)} `.repeat(1_000);
    const found = secrets(`${tokens}sk_live_${'a'.repeat(24)} -----BEGIN PRIVATE KEY-----\n${BODY}`);
    expect(found).to.have.members(['github_token', 'stripe_secret_key', 'private_key']);
  });

  it('is a private key in a file of any name, also in UTF-16 and with text before it', () => {
    const key = `-----BEGIN EC PRIVATE KEY-----\n${BODY}\n-----END EC PRIVATE KEY-----\n`;
    for (const text of [
      key,
      `Bag Attributes\n${key}`,
      [...key].join('\0'),
      'PuTTY-User-Key-File-2: ssh-rsa\n',
    ])
      for (const path of ['key', 'a.png', 'b.js.map', 'c.bak']) {
        if (path.endsWith('.map') && text.startsWith('Bag')) continue;
        expect(observeBytes(path, Buffer.from(text, 'latin1')).secrets, path).to.deep.equal(['private_key']);
        expect(secrets(text, path), path).to.deep.equal(['private_key']);
      }
  });

  it('is searched for in pages and texts, not in images, fonts and source maps', () => {
    for (const path of ['a.html', 'a.js', 'a.css', 'a.json', '.npmrc', 'a.txt', 'key', 'a.png.txt', 'png']) {
      expect(isObservable(path), path).to.equal(true);
    }
    for (const path of [
      'a.png',
      'a.JPG',
      'a.jpeg',
      'a.woff',
      'a.woff2',
      'a.mp3',
      'a.js.map',
      'a.wasm',
      'a.pdf',
    ]) {
      expect(isObservable(path), path).to.equal(false);
      expect(secrets('AKIAIOSFODNN7EXAMPLE', path)).to.deep.equal([]);
    }
  });

  for (const hostile of [
    '-----BEGIN ',
    '-----BEGIN A ',
    '-----BEGIN PRIVATE KEY-----\n ',
    'AKIA',
    'ghp_a',
    'sk-ant-',
    'pf_a',
    'xoxb-',
    'A',
    '_',
    '-',
    '\n',
  ]) {
    // A search whose time grows with the square of the length would exceed the test's time limit.
    it(`is searched for in two million characters of ${JSON.stringify(hostile)}`, () => {
      expect(secrets(hostile.repeat(2_000_000 / hostile.length)).length).to.be.at.most(1);
    });
  }
});

describe('the bytes of a file', () => {
  const STRETCH = 65_536;
  const longest = `-----BEGIN ${'A'.repeat(10)} ${'B'.repeat(10)} ${'C'.repeat(10)} PRIVATE KEY-----\\n\\n\\n\\n${'D '.repeat(32)}-----END`;
  const pieces = [
    longest,
    `-----BEGIN PRIVATE KEY-----\n${BODY}`,
    'AKIAIOSFODNN7EXAMPLE',
    'xAKIAIOSFODNN7EXAMPLE',
    `ghp_${'a'.repeat(36)}`,
    `ghp_${'a'.repeat(37)}`,
    `github_pat_${'a'.repeat(50)}`,
    `npm_${'a'.repeat(36)}`,
    `pf_${'a'.repeat(32)}_${'a'.repeat(44)}`,
    'navigator.serviceWorker?.register("sw.js")',
    `serviceWorker${' '.repeat(9)}?.${' '.repeat(9)}register${' '.repeat(9)}(`,
    `serviceWorker${' '.repeat(10)}.register(`,
    'é',
    ' ',
  ];

  it('have the same findings as their text, at every position', () => {
    const check = fc.property(
      fc.constantFrom(...pieces),
      fc.constantFrom(...pieces),
      fc.integer({ min: -300, max: 5 }),
      fc.constantFrom('-', 'x', ' '),
      (one, two, offset, filler) => {
        const before = filler.repeat(STRETCH + offset);
        const text = `${before}${one}${two}${filler.repeat(STRETCH)}${one}`;
        const found = observeBytes('a.js', Buffer.from(text, 'latin1'));
        expect(found).to.deep.equal(observe('a.js', text));
      },
    );
    fc.assert(check, { numRuns: 300 });
  });

  it('have the findings that cross the boundary of two pieces', () => {
    for (const piece of [longest, 'AKIAIOSFODNN7EXAMPLE', 'serviceWorker.register(']) {
      for (let offset = -piece.length; offset <= 0; offset += 1) {
        const text = ' '.repeat(2 * STRETCH + offset) + piece;
        const { secrets: kinds, serviceWorker = false } = observeBytes('a.js', Buffer.from(text));
        expect(kinds.length + Number(serviceWorker), `${piece.slice(0, 20)} ${offset}`).to.equal(1);
      }
    }
  });
});
