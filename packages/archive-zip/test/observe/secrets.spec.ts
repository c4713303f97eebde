import { expect } from 'chai';
import fc from 'fast-check';
import { observeBytes } from '../../src/observe/observe.ts';
import { isObservable, observe } from '../../src/observe.ts';

const secrets = (text: string, path: string = 'a.js'): readonly string[] => observe(path, text).secrets;

const BODY = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj';

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
    ['pinfold_api_key', `pf_ci_${'a'.repeat(43)}`],
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

  it('is a private key in a file of any name, even in UTF-16 and with text before it', () => {
    const key = `-----BEGIN EC PRIVATE KEY-----\n${BODY}\n-----END EC PRIVATE KEY-----\n`;
    for (const text of [
      key,
      `Bag Attributes\n${key}`,
      [...key].join('\0'),
      'PuTTY-User-Key-File-2: ssh-rsa\n',
    ])
      for (const path of ['key', 'a.png', 'b.js.map', 'c.bak']) {
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
  const BLOCK = 65_536;
  const longest = `-----BEGIN ${'A'.repeat(10)} ${'B'.repeat(10)} ${'C'.repeat(10)} PRIVATE KEY-----\\n\\n\\n\\n${'D '.repeat(32)}-----END`;
  const snippets = [
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
      fc.constantFrom(...snippets),
      fc.constantFrom(...snippets),
      fc.integer({ min: -300, max: 5 }),
      fc.constantFrom('-', 'x', ' '),
      (one, two, offset, filler) => {
        const before = filler.repeat(BLOCK + offset);
        const text = `${before}${one}${two}${filler.repeat(BLOCK)}${one}`;
        const found = observeBytes('a.js', Buffer.from(text, 'latin1'));
        expect(found).to.deep.equal(observe('a.js', text));
      },
    );
    fc.assert(check, { numRuns: 300 });
  });

  it('have the findings that cross the boundary of two blocks', () => {
    for (const snippet of [longest, 'AKIAIOSFODNN7EXAMPLE', 'serviceWorker.register(']) {
      for (let offset = -snippet.length; offset <= 0; offset += 1) {
        const text = ' '.repeat(2 * BLOCK + offset) + snippet;
        const { secrets: kinds, serviceWorker = false } = observeBytes('a.js', Buffer.from(text));
        expect(kinds.length + Number(serviceWorker), `${snippet.slice(0, 20)} ${offset}`).to.equal(1);
      }
    }
  });
});
