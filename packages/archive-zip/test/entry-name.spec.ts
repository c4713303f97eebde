import { writeZip } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { escapedName } from '../src/entry-name.ts';
import { readListing } from '../src/listing.ts';

async function nameOf(
  raw: string,
  flags: number = 0,
): Promise<readonly [string | undefined, readonly string[]]> {
  const bytes = writeZip({ entries: [{ name: Buffer.from(raw, 'latin1'), both: { flags } }] });
  const { entries, problems } = await readListing({
    size: bytes.length,
    readAt: (at, length) => bytes.subarray(at, at + length),
  });
  return [entries[0]?.name, problems.map(({ rule }) => rule)];
}

describe('the name of an entry', () => {
  it('is read as UTF-8 if it is valid UTF-8, marked or not, with any byte order mark', async () => {
    for (const flags of [0, 0x0800]) {
      expect(await nameOf('caf\xc3\xa9', flags)).to.deep.equal(['café', []]);
      expect(await nameOf('\xef\xbb\xbfa', flags)).to.deep.equal(['\ufeffa', []]);
    }
  });

  it('is refused if it is marked as UTF-8 and is not', async () => {
    for (const raw of ['caf\x82', '\xed\xa0\x80', '\xc0\xaf']) {
      expect((await nameOf(raw, 0x0800))[1]).to.deep.equal(['bad_encoding']);
    }
  });
});

describe('escapedName', () => {
  const escaped = (raw: string): string => escapedName(Buffer.from(raw, 'latin1'));

  it('escapes bytes that may be part of a longer character, but no separator', () => {
    expect(escaped('\x95\\.html')).to.equal('%95%5C.html');
    expect(escaped('a\xe9/..')).to.equal('a%E9/..');
    expect(escaped('\x810\x810')).to.equal('%81%30%81%30');
    expect(escaped('\x95:')).to.equal('%95:');
  });

  it('keeps different names apart', () => {
    expect(escaped('%95%5C')).not.to.equal(escaped('\x95\\'));
  });
});
