import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { Publication } from '@pinfold/core';
import { outgoingBytes, UnavailableError } from '@pinfold/http/internal';
import { expect } from 'chai';
import { Bodies } from '../src/sending/bodies.ts';
import { PUBLICATION, storedFile, toolsOver, turnsOf } from './stored-file.ts';

const CONTENT = Buffer.from('home'.repeat(100));
const { bytes: DEFLATED, entry, formOf } = storedFile(CONTENT);
const { signal } = new AbortController();

/** Bodies of a storage that answers when the test wants it, and a number of places for inflating them. */
function openBodies(turns = turnsOf(1, 0)) {
  const reads: { readonly end: AbortSignal; readonly answer: (bytes: Uint8Array) => void }[] = [];
  const read = (_publication: Publication, _at: number, _length: number, end: AbortSignal) =>
    new Promise((resolve) => reads.push({ end, answer: (bytes) => resolve({ kind: 'bytes', bytes }) }));
  const bodies = new Bodies(0);
  const source = { ...toolsOver(read, { turns }), publication: PUBLICATION, entry, outgoing: outgoingBytes };
  const load = (leaving: AbortSignal, { gzip = false, client = 'a' } = {}): Promise<unknown> =>
    bodies.load({ ...source, client, signal: leaving }, formOf(gzip)).catch((error: unknown) => error);
  return { reads, load };
}

describe('a body that several requests wait for', () => {
  it('is loaded again for another client if the queue of the first is full', async () => {
    const turns = turnsOf(1, 2);
    const { reads, load } = openBodies(turns);
    const leaveTurn = await turns.enter('somebody', signal);
    const flood = [1, 2].map(() => turns.enter('flood', signal).catch((error: unknown) => error));
    const [first, own, other] = ['flood', 'flood', 'viewer'].map((client) => load(signal, { client }));
    for (let turn = 0; turn < 20; turn += 1) {
      for (const { answer } of reads.splice(0)) answer(DEFLATED);
      await setImmediate();
    }
    expect(await first).to.be.instanceOf(UnavailableError);
    expect(await own).to.be.instanceOf(UnavailableError);
    leaveTurn();
    ((await flood[0]) as () => void)();
    expect(await other).to.equal(String(CONTENT));
  });

  it('is read for the viewers who stay, until the last has left', async () => {
    const { load, reads } = openBodies();
    const [one, other, late] = [new AbortController(), new AbortController(), new AbortController()];
    const first = load(one.signal);
    const second = load(other.signal);
    one.abort();
    expect(await first).to.equal(one.signal.reason);
    expect(reads.map(({ end }) => end.aborted)).to.deep.equal([false]);
    other.abort();
    expect(await second).to.equal(other.signal.reason);
    expect(reads.map(({ end }) => end.aborted)).to.deep.equal([true]);
    const third = load(late.signal);
    // The end of the abandoned read does not end the one that started since.
    reads[0]?.answer(DEFLATED);
    await setImmediate();
    const fourth = load(signal);
    late.abort();
    reads[1]?.answer(DEFLATED);
    expect(reads).to.have.length(2);
    expect(await third).to.equal(late.signal.reason);
    expect(await fourth).to.equal(String(CONTENT));
  });

  it('is counted once, until it is loaded or the last has left', async () => {
    const { load, reads } = openBodies();
    const { length } = formOf(true);
    const waiting = [1, 2, 3].map(() => load(signal, { gzip: true }));
    expect(outgoingBytes.bytes).to.equal(length);
    reads[0]?.answer(DEFLATED);
    await Promise.all(waiting);
    expect(outgoingBytes.bytes).to.equal(0);
    const leaving = new AbortController();
    const left = load(leaving.signal, { gzip: true });
    leaving.abort();
    await left;
    reads[1]?.answer(DEFLATED);
    await setImmediate();
    expect(outgoingBytes.bytes).to.equal(0);
  });

  it('takes no turn without inflating, and is never shorter than in the manifest', async () => {
    const { load, reads } = openBodies(turnsOf(0, 0));
    const whole = load(signal, { gzip: true });
    reads[0]?.answer(DEFLATED);
    expect(await whole).to.satisfy((body: string) => gunzipSync(Buffer.from(body, 'latin1')).equals(CONTENT));
    const short = load(signal, { gzip: true });
    reads[1]?.answer(DEFLATED.subarray(1));
    expect(await short).to.include({ code: 'store_corrupt' });
  });
});
