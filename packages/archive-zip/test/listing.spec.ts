import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ArchiveProblem, defaultLimits, type ListedEntry } from '@pinfold/core';
import { judgeListing } from '@pinfold/core/adapter';
import { createStagedArchives } from '@pinfold/test-contracts/fixtures';
import { writeZip } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import fc from 'fast-check';
import { strToU8, zipSync } from 'fflate';
import { type DirectoryListing, readListing } from '../src/listing.ts';
import { ZipArchiveInspector } from '../src/zip-archive-inspector.ts';

const zip = zipSync(
  { 'index.html': strToU8('hello'), 'あ/b.txt': [strToU8('x'), { level: 0, comment: 'c' }] },
  { comment: 'PK' },
);

function listingOfBytes(bytes: Uint8Array): Promise<DirectoryListing> {
  return readListing({ size: bytes.length, readAt: async (at, length) => bytes.slice(at, at + length) });
}

async function rulesOf(bytes: Uint8Array): Promise<readonly string[]> {
  return (await listingOfBytes(bytes)).problems.map(({ rule }) => rule);
}

describe('readListing', () => {
  it('reads names, sizes, methods and header offsets from the directory', async () => {
    const { entries, problems, trusted, begin, isZip64 } = await listingOfBytes(zip);
    expect(entries.map(({ name, size, method }) => [name, size, method])).to.deep.equal([
      ['index.html', 5, 8],
      ['あ/b.txt', 1, 0],
    ]);
    expect([problems, trusted, isZip64]).to.deep.equal([[], true, false]);
    expect(entries.map(({ at }) => at)).to.deep.equal([begin, entries[0]?.next]);
    expect(zip.slice(entries[1]?.localOffset, (entries[1]?.localOffset ?? 0) + 2)).to.deep.equal(
      strToU8('PK'),
    );
  });

  it('reads only the beginning, the end and the directory', async () => {
    const large = zipSync({ 'index.html': [new Uint8Array(1_000_000), { level: 0 }] });
    let read = 0;
    const { entries } = await readListing({
      size: large.length,
      readAt: (at, length) => {
        read += length;
        return large.subarray(at, at + length);
      },
    });
    expect(entries).to.have.length(1);
    expect(read).to.be.below(70_000);
  });

  it('finds no problem in names whose encoding is known only from the pages', async () => {
    const names = ['\x95\\.html', '\x83\\\x81[\x83X/\x97\\.pdf', '._a', '\x95|.html', '\x95}.html'];
    const pages = names.map((name) => ({ name: Buffer.from(name, 'latin1'), both: { flags: 0 } }));
    const listing = await listingOfBytes(writeZip({ entries: [{ name: 'index.html' }, ...pages] }));
    expect(judgeListing(listing, { ...defaultLimits, files: 5 }).problems).to.deep.equal([]);
  });

  it('reports a file that is not a ZIP, and a truncated ZIP', async () => {
    expect(await rulesOf(new Uint8Array())).to.deep.equal(['not_a_zip']);
    expect(await rulesOf(strToU8('hello'))).to.deep.equal(['not_a_zip']);
    expect(await rulesOf(zip.slice(0, -30))).to.deep.equal(['truncated']);
  });

  it('equals the server’s reading of the directory, with any byte changed', async () => {
    const staged = await createStagedArchives();
    const inspector = new ZipArchiveInspector({ workers: 1 });
    const byte = fc.tuple(fc.integer({ min: 1, max: 130 }), fc.nat(255));
    try {
      await fc.assert(
        fc.asyncProperty(byte, async ([fromEnd, value]) => {
          const bytes = zip.slice();
          bytes[bytes.length - fromEnd] = value;
          const here = await listingOfBytes(bytes);
          const there = await inspector.list(await staged.stage(bytes));
          const isGuessed = there.guessed !== undefined;
          const read = ({ name, size }: ListedEntry) => (isGuessed ? size : [name, size]);
          expect(here.entries.map(read)).to.deep.equal(there.entries.map(read));
          const textOf = (problem: ArchiveProblem) => (isGuessed ? problem.rule : JSON.stringify(problem));
          const known = there.problems.map(textOf);
          for (const problem of here.problems) expect(known).to.include(textOf(problem));
        }),
        { numRuns: 150 },
      );
    } finally {
      await inspector.close();
      await staged.dispose();
    }
  });

  it('needs no Node.js', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pinfold-listing-'));
    const outfile = join(folder, 'listing.js');
    try {
      const entry = join(import.meta.dirname, '../src/listing.ts');
      execFileSync(
        'npx',
        [
          'esbuild',
          entry,
          '--bundle',
          '--platform=browser',
          '--format=esm',
          '--conditions=@pinfold/source',
          `--outfile=${outfile}`,
          '--log-level=error',
        ],
        { stdio: 'pipe' },
      );
      expect(readFileSync(outfile, 'utf8')).not.to.match(/node:|\bBuffer\b|\bprocess\./);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
