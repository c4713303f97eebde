import { randomBytes } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { Fault, isFault, type RoleId, seconds } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { UnavailableError } from '@pinfold/http/internal';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { CircuitBreaker } from '../src/sending/circuit-breaker.ts';
import type { Answer } from './client.ts';
import { expectPage } from './expect-page.ts';
import { openRig, type Rig } from './rig.ts';

const never = new AbortController().signal;
const hang = (): Promise<string> => new Promise(() => {});
const answer = async (): Promise<string> => 'bytes';

function setUp() {
  const clock = createManualClock();
  const breaker = new CircuitBreaker(clock);
  let calls = 0;
  /** The result for one viewer; `calls` counts the calls of the storage. */
  const view = (read: (end: AbortSignal) => Promise<string>, signal: AbortSignal = never): Promise<unknown> =>
    breaker
      .first(signal, (end) => {
        calls += 1;
        return read(end);
      })
      .catch((error: unknown) => error);
  /** Lets a number of requests time out, one after another. */
  const timeOut = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      const late = view(hang);
      clock.advance(seconds(5));
      expect(await late).to.be.instanceOf(UnavailableError);
    }
  };
  return { clock, view, timeOut, calls: () => calls };
}

describe('a storage that hangs', () => {
  it('gets a timeout of five seconds', async () => {
    const { clock, view } = setUp();
    let ended = false;
    const late = view((end) => {
      end.addEventListener('abort', () => {
        ended = true;
      });
      return hang();
    });
    clock.advance(seconds(4.999));
    await setImmediate();
    expect(ended).to.equal(false);
    clock.advance(seconds(0.001));
    const outcome = await late;
    expect(outcome).to.be.instanceOf(UnavailableError).and.include({ seconds: 5 });
    expect(isFault((outcome as UnavailableError).cause)).to.equal(true);
    expect(ended).to.equal(true);
  });

  it('gets no requests for five seconds after five timeouts', async () => {
    const { clock, view, timeOut, calls } = setUp();
    await timeOut(5);
    for (let time = 0; time < 3; time += 1) {
      const outcome = await view(answer);
      expect(outcome).to.be.instanceOf(UnavailableError).and.include({ seconds: 5 });
      // The log does not repeat what it already contains.
      expect((outcome as UnavailableError).cause).to.equal(undefined);
    }
    clock.advance(seconds(4.999));
    expect(await view(answer)).to.be.instanceOf(UnavailableError);
    expect(calls()).to.equal(5);
  });

  it('gets a single trial request five seconds later, and all again once that is answered', async () => {
    const { clock, view, timeOut, calls } = setUp();
    await timeOut(5);
    clock.advance(seconds(5));
    const reading = Promise.withResolvers<string>();
    const trial = view(() => reading.promise);
    expect(await view(answer)).to.be.instanceOf(UnavailableError);
    expect(calls()).to.equal(6);
    reading.resolve('bytes');
    expect(await trial).to.equal('bytes');
    expect(await view(answer)).to.equal('bytes');
    await timeOut(4);
    expect(await view(answer)).to.equal('bytes');
  });

  it('gets no requests for five more seconds if the trial times out or fails', async () => {
    for (const fault of [undefined, new Fault('storage_unavailable', 'refused')]) {
      const { clock, view, timeOut } = setUp();
      await timeOut(5);
      clock.advance(seconds(5));
      if (fault === undefined) await timeOut(1);
      else expect(await view(() => Promise.reject(fault))).to.equal(fault);
      expect(await view(answer)).to.be.instanceOf(UnavailableError);
      clock.advance(seconds(5));
      expect(await view(answer)).to.equal('bytes');
    }
  });

  it('gets another trial if the client of the first has left', async () => {
    const { clock, view, timeOut } = setUp();
    await timeOut(5);
    clock.advance(seconds(5));
    const leaving = new AbortController();
    const trial = view(hang, leaving.signal);
    leaving.abort();
    expect(await trial).to.equal(leaving.signal.reason);
    expect(await view(answer)).to.equal('bytes');
  });

  it('resets the count with any answer', async () => {
    const { view, timeOut, calls } = setUp();
    const missing = new Fault('archive_missing', 'none');
    for (const read of [answer, () => Promise.reject(missing)]) {
      await timeOut(4);
      await view(read);
    }
    await timeOut(4);
    expect(await view(answer)).to.equal('bytes');
    expect(calls(), 'no request was refused at once').to.equal(15);
  });

  it('neither resets nor increases the count if it cannot be reached', async () => {
    const { view, timeOut, calls } = setUp();
    await timeOut(4);
    for (const error of [new Fault('storage_unavailable', 'refused'), new TypeError('a defect')]) {
      expect(await view(() => Promise.reject(error))).to.equal(error);
    }
    await timeOut(1);
    expect(await view(answer)).to.be.instanceOf(UnavailableError);
    expect(calls()).to.equal(7);
  });

  it('gets another trial after a defect, and none for a client that has left before', async () => {
    const { clock, view, timeOut, calls } = setUp();
    await timeOut(5);
    clock.advance(seconds(5));
    const defect = new TypeError('a defect');
    expect(await view(() => Promise.reject(defect))).to.equal(defect);
    expect(await view(answer, AbortSignal.abort('left'))).to.equal('left');
    expect(await view(answer)).to.equal('bytes');
    expect(calls()).to.equal(7);
  });

  it('is not blocked for long by a clock that is set back', async () => {
    const clock = createManualClock();
    let back = 0;
    const breaker = new CircuitBreaker({
      now: () => (clock.now() - back) as ReturnType<typeof clock.now>,
      sleep: (length, signal) => clock.sleep(length, signal),
    });
    for (let time = 0; time < 5; time += 1) {
      const late = breaker.first(never, hang).catch(() => undefined);
      clock.advance(seconds(5));
      await late;
    }
    back = 3_600_000;
    expect(await breaker.first(never, answer)).to.equal('bytes');
  });
});

const RETRY_LATER = { 'retry-after': '5' };

describe('with a storage that hangs', () => {
  let rig: Rig;
  let id: RoleId;
  let conditions: Readonly<Record<string, string>>;

  beforeEach(async () => {
    conditions = {};
    rig = await openRig();
    id = await rig.publish({
      'index.html': 'home',
      'hot.txt': 'hot',
      ...Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`${index}.txt`, `${index}`])),
      'large.bin': { stored: new Uint8Array(3 * MAX_READ) },
      'deflated.bin': randomBytes(3 * MAX_READ),
    });
    await rig.askSite(id, '/hot.txt');
    rig.storage.before = () => new Promise(() => {});
    rig.storage.reads.length = 0;
  });

  /** Sends requests, and advances the clock until they time out. */
  async function askAndTimeOut(...paths: readonly string[]): Promise<Answer[]> {
    const before = rig.storage.reads.length;
    const answers = paths.map((path) => rig.askSite(id, path, { headers: conditions }));
    while (rig.storage.reads.length < before + new Set(paths).size) await setTimeout(1);
    // The requests that share a read must have arrived, too.
    for (let turn = 0; turn < 20; turn += 1) await rig.ask('/turn');
    rig.clock.advance(seconds(5));
    return Promise.all(answers);
  }

  it('a view without cache is 503 after five seconds, with Retry-After: 5, for any file and form', async () => {
    for (const [path, headers] of [
      ['/0.txt', {}],
      ['/large.bin', {}],
      ['/deflated.bin', {}],
      ['/deflated.bin', { 'accept-encoding': 'gzip' }],
    ] as const) {
      conditions = headers;
      const [answer] = await askAndTimeOut(path);
      expectPage(answer as Answer, 503, RETRY_LATER);
      expect(rig.storage.reads.at(-1)?.signal?.aborted, path).to.equal(true);
      expect(rig.log.findLast(({ status }) => status === 503)?.error).to.include({
        code: 'storage_unavailable',
      });
    }
  });

  it('five requests that wait for the same file count as five', async () => {
    await askAndTimeOut('/0.txt', '/0.txt', '/0.txt', '/0.txt', '/0.txt');
    expect(rig.storage.reads).to.have.length(1);
    expectPage(await rig.askSite(id, '/1.txt'), 503, RETRY_LATER);
    expect(rig.storage.reads).to.have.length(1);
  });
});
