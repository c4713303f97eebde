import { setImmediate } from 'node:timers/promises';
import { crc32, deflateRawSync, gunzipSync } from 'node:zlib';
import type { EntryPath, Open, Publication, RoleId } from '@pinfold/core';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { Bodies } from '../src/sending/bodies.ts';
import { CircuitBreaker } from '../src/sending/circuit-breaker.ts';
import { FairQueue } from '../src/sending/fair-queue.ts';
import { SiteFile } from '../src/sending/site-files.ts';
import { UnavailableError } from '../src/sending/unavailable-error.ts';

const CONTENT = Buffer.from('home'.repeat(100));
const DEFLATED = deflateRawSync(CONTENT);
const FILE = new SiteFile('id' as RoleId, {
  path: 'index.html' as EntryPath,
  offset: 0,
  compressedSize: DEFLATED.length,
  size: CONTENT.length,
  method: 'deflated',
  crc32: crc32(CONTENT),
  utf8: true,
});
const { signal } = new AbortController();

/** Bodies in a process where one place is taken, and one client has as many in line as may be. */
async function openCrowded() {
  const reads: (() => void)[] = [];
  const turns = new FairQueue(1, 2);
  const bodies = new Bodies(
    {
      open: {
        read: async () => {
          await new Promise<void>((resolve) => reads.push(resolve));
          return { kind: 'bytes', bytes: DEFLATED };
        },
      } as unknown as Open,
      breaker: new CircuitBreaker(createManualClock()),
      turns,
      mostHeld: 0,
    },
    0,
  );
  const giveBack = await turns.take('somebody', signal, true);
  const flood = [1, 2].map(() => turns.take('flood', signal, true).catch((error: unknown) => error));
  const ask = (client: string) =>
    bodies
      .load({
        publication: {} as Publication,
        entry: FILE.entry,
        form: FILE.form(false, { index: 0, headers: [] }),
        client,
        signal,
      })
      .catch((error: unknown) => error);
  /** Lets the storage answer all that it is asked, and again what is asked then. */
  const answer = async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      for (const go of reads.splice(0)) go();
      await setImmediate();
    }
  };
  return { flood, giveBack, ask, answer };
}

/** Bodies of a storage that answers when it is told to, and so many places to inflate them. */
function openHeld(places = 1) {
  const reads: { readonly end: AbortSignal; readonly go: (bytes: Uint8Array) => void }[] = [];
  const read = (_publication: Publication, _at: number, _length: number, end: AbortSignal) =>
    new Promise((resolve) => reads.push({ end, go: (bytes) => resolve({ kind: 'bytes', bytes }) }));
  const bodies = new Bodies(
    {
      open: { read } as unknown as Open,
      breaker: new CircuitBreaker(createManualClock()),
      turns: new FairQueue(places, 0),
      mostHeld: 0,
    },
    0,
  );
  const load = (leaving: AbortSignal, gzip = false): Promise<unknown> =>
    bodies
      .load({
        publication: {} as Publication,
        entry: FILE.entry,
        form: FILE.form(gzip, { index: 0, headers: [] }),
        client: 'a',
        signal: leaving,
      })
      .catch((error: unknown) => error);
  return { reads, load };
}

describe('a body that several wait for', () => {
  it('is loaded again for another client when the line of the first is full', async () => {
    const { flood, giveBack, ask, answer } = await openCrowded();
    const [first, own, other] = [ask('flood'), ask('flood'), ask('viewer')];
    await answer();
    expect(await first).to.be.instanceOf(UnavailableError);
    expect(await own).to.be.instanceOf(UnavailableError);
    giveBack();
    ((await flood[0]) as () => void)();
    expect(await other)
      .to.have.nested.property('body.bytes')
      .that.deep.equals(CONTENT);
  });

  it('is read on for who stays, and given up when the last has left', async () => {
    const { load, reads } = openHeld();
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
    // The end of what was given up is none of what was begun since.
    reads[0]?.go(DEFLATED);
    await setImmediate();
    const fourth = load(signal);
    late.abort();
    reads[1]?.go(DEFLATED);
    expect(reads).to.have.length(2);
    expect(await third).to.equal(late.signal.reason);
    expect(await fourth)
      .to.have.nested.property('body.bytes')
      .that.deep.equals(CONTENT);
  });

  it('takes no turn where nothing is inflated, and is never shorter than its manifest says', async () => {
    const { load, reads } = openHeld(0);
    const whole = load(signal, true);
    reads[0]?.go(DEFLATED);
    expect(await whole)
      .to.have.nested.property('body.bytes')
      .that.satisfies((bytes: Buffer) => gunzipSync(bytes).equals(CONTENT));
    const short = load(signal, true);
    reads[1]?.go(DEFLATED.subarray(1));
    expect(await short).to.include({ code: 'store_corrupt' });
  });
});
