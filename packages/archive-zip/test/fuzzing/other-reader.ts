import { fromBufferPromise } from 'yauzl';

/** The contents of an archive's entries as yauzl reads them, in the order of its directory. Rejects if yauzl does. */
export async function readWithYauzl(bytes: Uint8Array): Promise<readonly Buffer[]> {
  const zip = await fromBufferPromise(Buffer.from(bytes), { lazyEntries: true, decodeStrings: false });
  const read: Buffer[] = [];
  for await (const entry of zip.eachEntry()) {
    const pieces: Buffer[] = [];
    for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece as Buffer);
    read.push(Buffer.concat(pieces));
  }
  return read;
}
