import { crc32, deflateRawSync } from 'node:zlib';
import type { EntryPath, ManifestEntry } from '@pinfold/core';
import { expect } from 'chai';
import { hasEntries } from '../../src/moving/archives.ts';

const TEXT = Buffer.from('to be read, and read again, and again');
const DEFLATED = deflateRawSync(TEXT);
const ARCHIVE = Buffer.concat([Buffer.from('head'), TEXT, Buffer.from('head'), DEFLATED]);

const STORED_ENTRY: ManifestEntry = {
  path: 'a.txt' as EntryPath,
  offset: 4,
  compressedSize: TEXT.length,
  size: TEXT.length,
  method: 'stored',
  crc32: crc32(TEXT),
  utf8: true,
};
const DEFLATED_ENTRY: ManifestEntry = {
  ...STORED_ENTRY,
  path: 'b.txt' as EntryPath,
  offset: 8 + TEXT.length,
  compressedSize: DEFLATED.length,
  method: 'deflated',
};
const EMPTY_ENTRY: ManifestEntry = { ...STORED_ENTRY, compressedSize: 0, size: 0, crc32: 0 };

function check(entries: readonly ManifestEntry[]): boolean {
  return hasEntries(ARCHIVE, entries);
}

describe('an archive and its record', () => {
  it('match if all files do, stored, deflated and empty ones', () => {
    expect(check([STORED_ENTRY, DEFLATED_ENTRY, EMPTY_ENTRY])).to.equal(true);
  });

  for (const whole of [STORED_ENTRY, DEFLATED_ENTRY]) {
    const wrong: readonly Partial<ManifestEntry>[] = [
      { crc32: whole.crc32 + 1 },
      { offset: whole.offset - 1 },
      { offset: ARCHIVE.length },
      { size: whole.size - 1 },
      { size: whole.size + 1 },
      { compressedSize: whole.compressedSize - 1 },
      { method: whole.method === 'stored' ? 'deflated' : 'stored' },
    ];
    for (const change of wrong) {
      it(`differ if a ${whole.method} file has another ${Object.entries(change).join(' ')}`, () => {
        expect(check([EMPTY_ENTRY, { ...whole, ...change }])).to.equal(false);
      });
    }
  }
});
