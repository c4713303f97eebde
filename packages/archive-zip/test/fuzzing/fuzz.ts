import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { createStagedArchives, goodZips } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { inflateSync } from 'fflate';
import { fromBufferPromise } from 'yauzl';
import { ZipArchiveInspector } from '../../src/index.ts';
import { type Inspection, inspect } from '../inspection.ts';
import { mutate, Random } from './mutate.ts';

/** The result of a run of mutations. */
interface FuzzResult {
  readonly refused: number;
  readonly accepted: number;
  /** The accepted ones that another reader could read, too. */
  readonly compared: number;
}

/** Archives inspected at once. */
const AT_ONCE = 4;
/** Larger archives take longer and reveal nothing more than smaller ones. */
const MAX_BYTES = 8_192;

/**
 * Inspects mutations of valid archives. Each must be refused, or be served exactly as it was proved; any other outcome
 * rejects with the seed that repeats it.
 */
export async function fuzz(seed: number, count: number): Promise<FuzzResult> {
  const inspector = new ZipArchiveInspector();
  const staged = await createStagedArchives();
  const valid = (await Promise.all(goodZips.map(({ bytes }) => bytes()))).filter(
    ({ length }) => length < MAX_BYTES,
  );
  let next = 0;
  let accepted = 0;
  let compared = 0;
  const inspectMutation = async (mutation: number): Promise<void> => {
    const random = new Random(mutation);
    const bytes = mutate(random.pick(valid), random.pick(valid), random);
    const archive = await staged.stage(bytes);
    try {
      const inspection = await inspect(inspector, archive);
      const inMemory = await inspect(inspector, { ...archive, bytes });
      expect(inMemory, 'the same archive in memory').to.deep.equal(inspection);
      if (inspection.problems.length > 0) return;
      accepted += 1;
      if (await expectServedAsRead(bytes, inspection)) compared += 1;
    } catch (cause) {
      throw new Error(`the mutation of seed ${mutation} is not served as it was proved`, { cause });
    } finally {
      await archive.discard();
    }
  };
  const inspectOthers = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await inspectMutation(seed + next - 1);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, inspectOthers));
  } finally {
    await inspector.close();
    await staged.dispose();
  }
  return { refused: count - accepted, accepted, compared };
}

/**
 * An archive without problems is served by offsets, sizes and methods of its manifest: each file must match its CRC-32,
 * inflated with another inflater than ours, and match the file that another reader extracts from the archive.
 *
 * @returns whether another reader could read the archive.
 */
async function expectServedAsRead(bytes: Uint8Array, inspection: Inspection): Promise<boolean> {
  const { listing, files } = inspection;
  const contents = await readElsewhere(bytes);
  if (contents !== undefined) expect(contents.length, 'entries').to.equal(listing.entries.length);
  for (const { path, entry } of files) {
    const listed = listing.entries[entry];
    if (listed === undefined) throw new RangeError(`${path} is not an entry`);
    const packed = bytes.subarray(listed.dataOffset, listed.dataOffset + listed.compressedSize);
    const served = Buffer.from(listed.method === 8 ? inflateSync(packed) : packed);
    expect(served.length, path).to.equal(listed.size);
    expect(crc32(served), path).to.equal(listed.crc32);
    if (contents !== undefined) expect(contents[entry]?.equals(served), `${path} by yauzl`).to.equal(true);
  }
  return contents !== undefined;
}

/** The contents of an archive's entries as yauzl reads them, in the order of its directory; it refuses some valid archives. */
async function readElsewhere(bytes: Uint8Array): Promise<readonly Buffer[] | undefined> {
  try {
    const zip = await fromBufferPromise(Buffer.from(bytes), { lazyEntries: true, decodeStrings: false });
    const read: Buffer[] = [];
    for await (const entry of zip.eachEntry())
      read.push(await buffer(await zip.openReadStreamPromise(entry)));
    return read;
  } catch {
    return undefined;
  }
}
