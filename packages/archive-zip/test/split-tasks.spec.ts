import type { EntryPath, ListedEntry, ProofRequest } from '@pinfold/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { splitTasks } from '../src/jobs.ts';

const MiB = 1_048_576;

function requestOf(sizes: readonly number[], name: (n: number) => string = (n) => `${n}.js`): ProofRequest {
  const entries: ListedEntry[] = sizes.map((size, n) => ({
    name: name(n),
    host: 3,
    externalAttributes: 0,
    flags: 0,
    method: size === 0 ? 0 : 8,
    crc32: 0,
    compressedSize: size >> 2,
    size,
    dataOffset: 0,
  }));
  const tasks = sizes.map((_, n) => ({
    entry: n,
    name: name(n),
    limit: 10 * MiB,
    path: name(n) as EntryPath,
  }));
  const open = () => ReadableStream.from<Uint8Array>([]);
  const archive = { open, size: 0, sha256: '' as never, discard: async () => {} };
  return { archive, listing: { entries, problems: [], trusted: true }, tasks, expandedBytes: 50 * MiB };
}

describe('splitTasks', () => {
  const sizes = fc.array(fc.oneof(fc.constant(0), fc.nat(5_000), fc.nat(10 * MiB)), { maxLength: 60 });

  it('returns every entry once, in the order of the listing, with the empty ones apart', () => {
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 8 }), (all, workers) => {
        const { jobs, empty } = splitTasks(requestOf(all), workers);
        const toRead = all.flatMap((size, n) => (size === 0 ? [] : [n]));
        expect(jobs.flat().map(({ entry }) => entry)).to.deep.equal(toRead);
        expect(empty.map(({ entry }) => entry)).to.deep.equal(
          all.flatMap((size, n) => (size === 0 ? [n] : [])),
        );
        expect(jobs.every((job) => job.length > 0)).to.equal(true);
      }),
    );
  });

  it('distributes much work over the workers, and leaves little work in one job', () => {
    expect(splitTasks(requestOf(Array(100).fill(300_000)), 4).jobs.length).to.be.within(8, 32);
    expect(splitTasks(requestOf(Array(10).fill(1_000)), 4).jobs.length).to.equal(1);
  });

  it('searches whole sites of common size, and the small files of large ones', () => {
    const small = splitTasks(requestOf(Array(20).fill(100_000)), 2).jobs.flat();
    expect(small.every(({ size, observedBytes }) => observedBytes === size)).to.equal(true);
    const large = splitTasks(requestOf([5_000, ...Array(5).fill(9 * MiB)]), 2).jobs.flat();
    expect(large[0]?.observedBytes).to.equal(5_000);
    expect(large.reduce((sum, { observedBytes }) => sum + observedBytes, 0)).to.be.below(10 * MiB);
  });

  it('searches no images', () => {
    const images = splitTasks(
      requestOf([5_000], (n) => `${n}.png`),
      2,
    ).jobs.flat();
    expect(images.map(({ observedBytes }) => observedBytes)).to.deep.equal([0]);
  });
});
