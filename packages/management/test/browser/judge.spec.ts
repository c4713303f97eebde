import { defaultLimits } from '@pinfold/core';
import { expect } from 'chai';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { directoryOf, judgeArchive, judgeFolder } from '../../browser/publish/judge.ts';
import { leaveOut } from '../../browser/publish/leave-out.ts';
import { isForbidden } from '../../browser/publish/source.ts';

async function rulesOf(bytes: Uint8Array<ArrayBuffer>): Promise<readonly string[]> {
  return (await judgeArchive(new Blob([bytes]), defaultLimits)).problems.map(({ rule }) => rule);
}

describe('the rules in the browser', () => {
  it('find the problems that the server would refuse', async () => {
    expect(await rulesOf(strToU8('hello') as Uint8Array<ArrayBuffer>)).to.deep.equal(['not_a_zip']);
    const site = zipSync({ 'a.html': strToU8('x'), '.env': strToU8('x') });
    expect(await rulesOf(site)).to.have.members(['missing_index', 'forbidden_name']);
    const large = new Uint8Array(defaultLimits.archiveBytes + 1);
    expect(await rulesOf(large)).to.deep.equal(['archive_too_large']);
  });

  it('count the files of the site and their bytes, in a ZIP as in a folder', async () => {
    const zip = zipSync({
      'site/index.html': strToU8('hello'),
      'site/a.txt': strToU8('xx'),
      '__MACOSX/b': strToU8('y'),
    });
    expect(await judgeArchive(new Blob([zip]), defaultLimits)).to.deep.equal({
      problems: [],
      files: 2,
      bytes: 7,
    });
    const files = [{ path: 'index.html', file: { size: 5 } as File }];
    expect(judgeFolder(files, defaultLimits)).to.deep.equal({ problems: [], files: 1, bytes: 5 });
  });

  it('judge a folder by the names and sizes of its files, before it is packed', () => {
    const file = (path: string, size = 1) => ({ path, file: { size } as File });
    const { problems } = judgeFolder([file('a:b'), file('big', 10_485_761)], defaultLimits);
    const rules = ['missing_index', 'unsafe_path', 'file_too_large'];
    expect(problems.map(({ rule }) => rule)).to.have.members(rules);
  });

  it('leave entries out of a ZIP without touching the others', async () => {
    const files = {
      'node_modules/a.js': strToU8('x'),
      'index.html': strToU8('hello'.repeat(99)),
      'b/.env': strToU8('x'),
      'z.txt': strToU8('z'),
    };
    const archive = new Blob([zipSync(files, { comment: 'made by hand' })]);
    const directory = await directoryOf(archive);
    const rest = await leaveOut(archive, directory, isForbidden)?.bytes();
    const unpacked = unzipSync(rest ?? new Uint8Array());
    expect(Object.keys(unpacked)).to.deep.equal(['index.html', 'z.txt']);
    expect(unpacked['index.html']).to.deep.equal(files['index.html']);
    expect(await rulesOf(rest ?? new Uint8Array())).to.deep.equal([]);
    const twice = { ...directory, entries: [...directory.entries, ...directory.entries] };
    expect(leaveOut(archive, twice, isForbidden)).to.equal(undefined);
    expect(leaveOut(archive, { ...directory, isZip64: true }, isForbidden)).to.equal(undefined);
  });
});
