import { expect } from 'chai';
import fc from 'fast-check';
import { decodeManifest, encodeManifest, Manifest } from '../../src/domain/site.ts';
import { type EncodedManifest, type EntryPath, isFault, type ManifestEntry } from '../../src/index.ts';

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
