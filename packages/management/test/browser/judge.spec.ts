import { defaultLimits } from '@pinfold/core';
import { expect } from 'chai';
import { strToU8, zipSync } from 'fflate';
import { judgeArchive, judgeFolder } from '../../browser/publish/judge.ts';
import { readListing } from '../../browser/publish/read-listing.ts';

async function rulesOf(bytes: Uint8Array<ArrayBuffer>): Promise<readonly string[]> {
  return (await judgeArchive(new Blob([bytes]), defaultLimits)).map(({ rule }) => rule);
}

describe('the rules in the browser', () => {
  it('read names, sizes and kinds out of the directory of a ZIP', async () => {
    const zip = zipSync(
      { 'index.html': strToU8('hello'), 'あ/b.txt': [strToU8('x'), { level: 0, comment: 'c' }] },
      { comment: 'PK' },
    );
    const listing = await readListing(new Blob([zip]));
    expect(listing?.entries.map(({ name, size, method }) => [name, size, method])).to.deep.equal([
      ['index.html', 5, 8],
      ['あ/b.txt', 1, 0],
    ]);
    expect(await rulesOf(zip)).to.deep.equal([]);
  });

  it('take names that are not UTF-8 for code page 437', async () => {
    const zip = zipSync({ 'index.html': strToU8('x'), 'aXb.txt': strToU8('x') });
    for (let at = 0; at < zip.length; at += 1) if (zip[at] === 'X'.charCodeAt(0)) zip[at] = 0x81;
    expect((await readListing(new Blob([zip])))?.entries[1]?.name).to.equal('aüb.txt');
    expect(await rulesOf(zip)).to.deep.equal([]);
  });

  it('find what the server would refuse', async () => {
    expect(await rulesOf(strToU8('hello') as Uint8Array<ArrayBuffer>)).to.deep.equal(['not_a_zip']);
    expect(await rulesOf(zipSync({ 'index.html': strToU8('x') }).slice(0, -30))).to.deep.equal(['truncated']);
    expect(await rulesOf(zipSync({ 'a.html': strToU8('x'), '.env': strToU8('x') }))).to.have.members([
      'missing_index',
      'forbidden_name',
    ]);
    expect(await rulesOf(new Uint8Array(defaultLimits.archiveBytes + 1))).to.deep.equal([
      'archive_too_large',
    ]);
  });

  it('leave to the server what they cannot read', async () => {
    const zip = zipSync({ 'index.html': strToU8('x') });
    new DataView(zip.buffer).setUint32(zip.length - 6, 0xffffffff, true);
    expect(await readListing(new Blob([zip]))).to.equal(undefined);
    expect(await rulesOf(zip)).to.deep.equal([]);
  });

  it('judge a folder before it is packed', () => {
    const file = (path: string, size = 1) => ({ path, file: { size } as File });
    const rules = (...files: ReturnType<typeof file>[]) =>
      judgeFolder(files, defaultLimits).map(({ rule }) => rule);
    expect(rules(file('index.html'), file('a/b.txt'))).to.deep.equal([]);
    expect(rules(file('Index.html'))).to.deep.equal(['missing_index']);
    expect(rules(file('index.html'), file('a:b'), file('big', 10_485_761))).to.have.members([
      'unsafe_path',
      'file_too_large',
    ]);
    expect(
      rules(...Array.from({ length: 501 }, (_, n) => file(n === 0 ? 'index.html' : `${n}`))),
    ).to.deep.equal(['too_many_files']);
  });
});
