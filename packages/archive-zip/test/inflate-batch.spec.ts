import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import type { EntryPath } from '@pinfold/core';
import { expect } from 'chai';
import { type ArchiveSource, memorySource } from '../src/archive-source.ts';
import { inflateBatch, nextBatch } from '../src/entry-data.ts';
import type { EntryTask, ProveResult } from '../src/jobs.ts';
import { ProofControl } from '../src/jobs.ts';
import { proveEntries } from '../src/prove-entries.ts';

const MiB = 1_048_576;

/** An entry: its bytes in the archive, and what its header states about them. */
interface PackedEntry {
  readonly data: Uint8Array;
  readonly size: number;
  readonly crc32: number;
  readonly method?: number;
}

function pack(text: string): PackedEntry {
  const bytes = Buffer.from(text);
  return { data: deflateRawSync(bytes), size: bytes.length, crc32: crc32(bytes) };
}

function archiveOf(entries: readonly PackedEntry[]): { archive: ArchiveSource; tasks: readonly EntryTask[] } {
  let at = 0;
  const tasks = entries.map(({ data, size, crc32, method = 8 }, entry): EntryTask => {
    const [dataOffset, name] = [at, `${entry}.txt` as EntryPath];
    at += data.length;
    const own = { entry, name, path: name, limit: MiB, method, crc32, size, dataOffset };
    return { ...own, compressedSize: data.length, observedBytes: size, referenceWork: size };
  });
  return { archive: memorySource(Buffer.concat(entries.map(({ data }) => data))), tasks };
}

function inflateTogether(entries: readonly PackedEntry[]): string | undefined {
  const { archive, tasks } = archiveOf(entries);
  return inflateBatch(archive, tasks, Buffer.alloc(MiB))?.toString();
}

async function prove(archive: ArchiveSource, tasks: readonly EntryTask[]): Promise<ProveResult> {
  const rest = { size: archive.size, sitePaths: '', expandedBytes: MiB };
  const job = { kind: 'prove', staged: { file: '' }, ...rest } as const;
  return proveEntries(archive, { ...job, tasks }, new ProofControl());
}

/** A stored block of a deflate stream (RFC 1951, section 3.2.4), without the bytes that follow. */
function storedBlock(length: number): Buffer {
  const block = Buffer.from([1, 0, 0, 0, 0]);
  block.writeUInt16LE(length, 1);
  block.writeUInt16LE(~length & 0xffff, 3);
  return block;
}

/** The trailer of an entry's gzip member, and the header of the next one (RFC 1952, section 2.3). */
function memberBoundary({ crc32, size }: PackedEntry): Buffer {
  const bytes = Buffer.alloc(18);
  bytes.writeUInt32LE(crc32, 0);
  bytes.writeUInt32LE(size, 4);
  Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]).copy(bytes, 8);
  return bytes;
}

const [one, two, three] = ['the first one', 'another', 'the last one'].map(pack) as [
  PackedEntry,
  PackedEntry,
  PackedEntry,
];

describe('Entries that are inflated together', () => {
  it('are returned one after another', () => {
    expect(inflateTogether([one, two, three])).to.equal('the first oneanotherthe last one');
  });

  const member = gzipSync('another');
  const nextEntry = Buffer.concat([memberBoundary({ ...one, size: 0, crc32: 0 }), two.data]);
  const broken: Readonly<Record<string, readonly PackedEntry[]>> = {
    'has a wrong CRC-32': [one, { ...two, crc32: (two.crc32 ^ 1) >>> 0 }, three],
    'is shorter than its header states': [one, { ...two, size: two.size + 1 }, three],
    'is longer than its header states': [one, { ...two, size: two.size - 1 }, three],
    'has bytes after the end of its stream': [
      one,
      { ...two, data: Buffer.concat([two.data, Buffer.from('more')]) },
      three,
    ],
    'has a truncated stream': [one, { ...two, data: two.data.subarray(0, -1) }, three],
    'is not a deflate stream': [one, { ...two, data: Buffer.alloc(10, 0xff) }, three],
    'is an empty stream, followed by a gzip member with its data': [
      one,
      {
        ...two,
        data: Buffer.concat([Buffer.from([3, 0]), Buffer.alloc(8), member.subarray(0, 10), two.data]),
      },
      three,
    ],
    'contains the data of the next entry as a second gzip member, and the next entry is empty': [
      { data: Buffer.concat([one.data, memberBoundary(one), two.data]), size: two.size, crc32: two.crc32 },
      { data: Buffer.from([3, 0]), size: one.size, crc32: one.crc32 },
    ],
    'refers to the bytes of the previous entry': [
      one,
      { ...one, data: deflateRawSync('the first one', { dictionary: Buffer.from('the first one') }) },
    ],
    'continues into the next entry': [
      { data: storedBlock(nextEntry.length), size: 0, crc32: 0 },
      { data: two.data, size: nextEntry.length, crc32: crc32(nextEntry) },
    ],
  };
  for (const [fault, entries] of Object.entries(broken)) {
    it(`are proved one by one, and some are broken, if one ${fault}`, async () => {
      const { archive, tasks } = archiveOf(entries);
      // Either not all entries are in the batch, or it cannot be inflated.
      const isBatch = nextBatch(tasks, 0).length === tasks.length;
      expect(isBatch ? inflateTogether(entries) : undefined).to.equal(undefined);
      const together = await prove(archive, tasks);
      expect(together.problems.length).to.be.above(0);
      const alone = await Promise.all(tasks.map((task) => prove(archive, [task])));
      expect(together.problems).to.deep.equal(alone.flatMap(({ problems }) => problems));
      expect(together.entries).to.deep.equal(alone.flatMap(({ entries }) => entries));
    });
  }

  it('are proved one by one if one contains the first bytes of a gzip file', async () => {
    const bytes = Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]);
    const marked = { data: deflateRawSync(bytes, { level: 0 }), size: bytes.length, crc32: crc32(bytes) };
    expect(inflateTogether([one, marked])).to.equal(undefined);
    const { archive, tasks } = archiveOf([one, marked]);
    const { problems, entries } = await prove(archive, tasks);
    expect([problems, entries.map(({ entry }) => entry)]).to.deep.equal([[], [0, 1]]);
  });

  it('end before the first one that is large, empty or stored', () => {
    const large = pack(' '.repeat(65_537));
    const empty = pack('');
    const stored = { ...one, data: Buffer.from('the first one'), method: 0 };
    for (const other of [large, empty, stored]) {
      const { tasks } = archiveOf([one, two, other, three]);
      expect([0, 2, 3].map((from) => nextBatch(tasks, from).length)).to.deep.equal([2, 0, 1]);
    }
  });

  it('are proved until the archive exceeds its limit', async () => {
    const { archive, tasks } = archiveOf(Array.from({ length: 200 }, () => pack(' '.repeat(10_000))));
    const { problems, entries } = await prove(archive, tasks);
    expect(problems).to.deep.equal([{ rule: 'expanded_too_large', limit: MiB }]);
    // 104 entries fit into the limit; a batch of 52 that exceeds it is dropped completely.
    expect(entries.length).to.be.within(50, 104);
  });
});
