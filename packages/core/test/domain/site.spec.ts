import { textsNormalizedBy } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  decodeManifest,
  encodeManifest,
  isCompressibleType,
  Manifest,
  resolve,
} from '../../src/domain/site.ts';
import { type EncodedManifest, type EntryPath, isFault, type ManifestEntry } from '../../src/index.ts';

/** Resolves a path: the kind of the answer and, if any, its file; `fallback` for a file in place of a missing one. */
function answer(files: readonly string[], path: string, navigation: boolean = true): string {
  const resolution = resolve({ get: (name) => files.find((file) => file === name) }, path, navigation);
  const isFallback = resolution.kind === 'file' && resolution.fallback;
  const kind = isFallback ? 'fallback' : resolution.kind;
  return 'entry' in resolution ? `${kind}: ${resolution.entry}` : kind;
}

describe('resolving a path of a site', () => {
  const site = ['index.html', 'about.html', 'docs/index.html', 'docs/a.html', 'app.js', 'both', 'both.html'];

  for (const [path, expected] of [
    ['/', 'file: index.html'],
    ['/docs/', 'file: docs/index.html'],
    ['/app.js', 'file: app.js'],
    ['/about', 'file: about.html'],
    ['/about.html', 'file: about.html'],
    ['/docs/a', 'file: docs/a.html'],
    ['/docs', 'folder'],
    ['/both', 'file: both'],
  ] as const) {
    it(`answers ${path} with ${expected}, to navigations and other requests`, () => {
      expect(answer(site, path, true)).to.equal(expected);
      expect(answer(site, path, false)).to.equal(expected);
    });
  }

  it('answers names of up to 2,048 characters', () => {
    const longest = 'a'.repeat(2_048);
    expect(answer([longest], `/${longest}`)).to.equal(`file: ${longest}`);
    expect(answer([`${longest}a`], `/${longest}a`)).to.equal('nothing');
  });

  it('redirects a folder that has no start page to the page of its name', () => {
    expect(answer(['index.html', '404.html', 'tides.html'], '/tides/')).to.equal('page');
    expect(answer(['a/b.html', 'a/b/c.html'], '/a/b/', false)).to.equal('page');
    expect(answer(['tides.html', 'tides/index.html'], '/tides/')).to.equal('file: tides/index.html');
  });

  it('redirects no path with an empty segment', () => {
    expect(answer(['.html', 'a/.html'], '//')).to.equal('nothing');
    expect(answer(['.html', 'a/.html'], '/a//')).to.equal('nothing');
    expect(answer(['.html'], '/')).to.equal('nothing');
  });

  it('prefers x.html to the folder x', () => {
    expect(answer(['x.html', 'x/index.html'], '/x')).to.equal('file: x.html');
  });

  it('answers a folder without a start page like a missing path', () => {
    expect(answer(['a/b.html'], '/a/')).to.equal('nothing');
    expect(answer(['a/b.html'], '/a')).to.equal('nothing');
  });

  it('answers every other navigation with 200.html, before 404.html', () => {
    const files = ['index.html', '200.html', '404.html'];
    expect(answer(files, '/gone/a.png')).to.equal('fallback: 200.html');
    expect(answer(files, '/gone')).to.equal('fallback: 200.html');
  });

  it('answers every other request with 404.html', () => {
    expect(answer(['200.html', '404.html'], '/gone', false)).to.equal('not_found_page: 404.html');
    expect(answer(['index.html', '404.html'], '/gone')).to.equal('not_found_page: 404.html');
  });

  it('answers navigations whose last segment has no dot with the start page', () => {
    expect(answer(['index.html'], '/deep/link')).to.equal('fallback: index.html');
    expect(answer(['index.html'], '/v1.2/link')).to.equal('fallback: index.html');
    expect(answer(['index.html'], '/deep/')).to.equal('fallback: index.html');
    expect(answer(['index.html'], '/gone.js')).to.equal('nothing');
    expect(answer(['index.html'], '/deep/link', false)).to.equal('nothing');
  });

  it('finds a file by its path in any form, the longest too', () => {
    const path = `${'ǖ'.repeat(509)}.html`;
    expect(Buffer.byteLength(path), 'a path may have 1,024 bytes').to.be.within(1_020, 1_024);
    for (const form of ['NFC', 'NFD'] as const) {
      expect(answer([path], `/${path.normalize(form)}`), form).to.equal(`file: ${path}`);
    }
  });

  it('normalizes a path once, and not at all if it is longer than that of any file', async () => {
    const manifest = new Manifest([]);
    for (const [path, times] of [
      ['/e\u0301', 1],
      ['/e\u0301/', 1],
      [`/${'a\u0315\u0301'.repeat(683)}`, 0],
    ] as const) {
      const texts = await textsNormalizedBy(() => resolve(manifest, path, true));
      expect(texts, `of ${path.length} characters`).to.have.lengthOf(times);
    }
  });

  it('finds a file whose name takes quadratic time to normalize, without normalizing it', async () => {
    const long = `a${'\u0315\u0301'.repeat(250)}.html` as EntryPath;
    const of = { offset: 0, compressedSize: 1, size: 1, method: 'stored', crc32: 0, utf8: true } as const;
    const manifest = new Manifest([long, 'e\u0301.html' as EntryPath].map((path) => ({ ...of, path })));
    const texts = await textsNormalizedBy(() => resolve(manifest, `/${long}`, true));
    expect(texts).to.deep.equal(['e\u0301.html']);
    expect(resolve(manifest, `/${long}`, true)).to.have.property('kind', 'file');
    expect(resolve(manifest, '/\u00e9.html', true)).to.have.property('kind', 'file');
  });

  it('looks only for a fallback if a path is longer than that of any file', () => {
    const files = ['index.html', `${'a'.repeat(2_049)}.html`];
    expect(answer(files, `/${'a'.repeat(2_049)}`)).to.equal('fallback: index.html');
  });

  it('answers nothing without a start page', () => {
    expect(answer(['site.js'], '/')).to.equal('nothing');
  });
});

const entries = fc.uniqueArray(
  fc.record<ManifestEntry>({
    path: fc.stringMatching(/^[a-zé日/.-]{1,30}$/u) as fc.Arbitrary<EntryPath>,
    offset: fc.nat(),
    compressedSize: fc.nat(),
    size: fc.nat(),
    method: fc.constantFrom('stored', 'deflated'),
    crc32: fc.integer({ min: 0, max: 0xffff_ffff }),
    utf8: fc.boolean(),
  }),
  { selector: ({ path }) => path.normalize('NFC') },
);

function codeOf(encoded: string): string | undefined {
  try {
    decodeManifest(encoded as EncodedManifest);
    return undefined;
  } catch (error) {
    return isFault(error) ? error.code : 'no fault';
  }
}

describe('a manifest', () => {
  it('is the same after encoding and decoding', () => {
    fc.assert(
      fc.property(entries, (written) => {
        expect(decodeManifest(encodeManifest(written)).entries).to.deep.equal(written);
      }),
    );
  });

  it('finds every file by its path in NFC, in whatever form the archive has it', () => {
    fc.assert(
      fc.property(entries, fc.constantFrom('NFC', 'NFD'), (listed, form) => {
        const written = listed.map((entry) => ({ ...entry, path: entry.path.normalize(form) as EntryPath }));
        const manifest = new Manifest(written);
        for (const entry of written) expect(manifest.get(entry.path.normalize('NFC'))).to.equal(entry);
        expect(manifest.get('not there')).to.equal(undefined);
      }),
    );
  });

  it('does not find members of JavaScript objects', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(new Manifest([]).get(name)).to.equal(undefined);
    }
  });

  for (const text of [
    '',
    'null',
    '{}',
    '{"length":2,"1":[]}',
    '[]',
    '[1]',
    '[1,{}]',
    '[2,[]]',
    '["1",[]]',
    '[1,[],[]]',
    '[1,[]',
    'PK',
  ]) {
    it(`is corrupt when a store gives ${JSON.stringify(text)}`, () => {
      expect(codeOf(text)).to.equal('store_corrupt');
    });
  }

  it('is refused with the reason if it is not JSON', () => {
    expect(() => decodeManifest('PK' as EncodedManifest))
      .to.throw()
      .with.property('cause')
      .that.is.instanceOf(SyntaxError);
  });
});

describe('the media types that are sent as gzip', () => {
  it('are those of text, WebAssembly, and TrueType and OpenType fonts', () => {
    const types =
      'text/html text/css text/javascript text/vtt application/json application/json5 application/ld+json ' +
      'application/manifest+json application/geo+json application/xml application/xml-dtd application/rss+xml ' +
      'application/xhtml+xml application/javascript application/node application/wasm image/svg+xml ' +
      'model/gltf+json font/ttf font/otf font/collection';
    for (const type of types.split(' ')) expect(isCompressibleType(type), type).to.equal(true);
  });

  it('do not include other types', () => {
    const types =
      'application/gzip application/x-compressed-tar application/zip application/octet-stream application/pdf ' +
      'image/png image/bmp font/woff font/woff2 video/mp4 audio/wav model/gltf-binary application/vnd.sqlite3 ' +
      'application/vnd.apache.parquet application/xml-external-parsed application/jsonx image/textual';
    for (const type of types.split(' ')) expect(isCompressibleType(type), type).to.equal(false);
  });
});
