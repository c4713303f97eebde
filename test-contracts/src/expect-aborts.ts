import { getEventListeners } from 'node:events';
import { fstatSync, readdirSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';
import { Fault, type FaultCode } from '@pinfold/core';
import { expect } from 'chai';
import { rejectionOf } from './rejection.ts';

export type Interruptible = (signal: AbortSignal) => Promise<unknown>;

/** Aborts' reasons that look like what a network or a file system says. */
const [RESET, MISSING] = ['ECONNRESET', 'ENOENT'].map((code) =>
  Object.assign(new Error('of the system'), { code, syscall: 'read', errno: -104 }),
);
const TIMEOUT = new DOMException('too slow', 'TimeoutError');
const ABSENT = Object.assign(new Error('no such key'), {
  name: 'NoSuchKey',
  $metadata: { httpStatusCode: 404 },
});
const FAULT = new Fault('archive_missing', 'of another call');
const ODD = ['gone', { why: 'the request went away' }, null, 0, ''];

/** What calls may be aborted for: anything. */
export const REASONS: readonly unknown[] = [RESET, MISSING, TIMEOUT, ABSENT, FAULT, ...ODD];

/** Reasons that look like what a store knows an answer to: it is there already, is busy, has no such range. */
const KNOWN_TO_STORES: readonly unknown[] = [
  ...['EEXIST', 'ENOTDIR', 'EBUSY', '23505', 'SQLITE_BUSY'].map((code) =>
    Object.assign(new Error('of a store'), { code }),
  ),
  ...[
    ['NotFound', 404],
    ['InvalidRange', 416],
    ['SlowDown', 503],
  ].map(([name, httpStatusCode]) =>
    Object.assign(new Error('of a store'), { name, $metadata: { httpStatusCode } }),
  ),
  ...['storage_unavailable', 'store_unavailable'].map(
    (code) => new Fault(code as FaultCode, 'of another call', { cause: MISSING }),
  ),
  ...[new TypeError('of a range'), new RangeError('of a range'), Object.freeze(new Error('frozen')), false],
];
const ALL_REASONS: readonly unknown[] = [...REASONS, ...KNOWN_TO_STORES];

/** Turns after which calls were aborted for every reason, where they are aborted after one more each. */
export const ALL_TURNS: number = ALL_REASONS.length;

/** Fails unless each call rejects with the reason of a signal that was aborted before, whatever it is. */
export async function expectAborted(calls: Readonly<Record<string, Interruptible>>): Promise<void> {
  for (const [name, call] of Object.entries(calls)) {
    for (const signal of [...ALL_REASONS.map((reason) => AbortSignal.abort(reason)), AbortSignal.abort()]) {
      expect(await rejectionOf(call(signal), name), name).to.equal(signal.reason);
      expectNobodyListens(signal, name);
    }
  }
}

/** Fails unless a call rejects with the reason of a signal that was aborted before, and of one aborted on the way. */
export async function expectAbortedEarlyAndLate(call: Interruptible): Promise<void> {
  const reason = { why: 'the request went away' };
  expect(await rejectionOf(call(AbortSignal.abort(reason)))).to.equal(reason);
  const controller = new AbortController();
  const running = call(controller.signal);
  controller.abort(reason);
  expect(await rejectionOf(running), 'while it runs').to.equal(reason);
}

/** Fails unless each question is answered to whoever did not abort it, also beside those who did. */
export async function expectAbortedAlone(questions: Readonly<Record<string, Interruptible>>): Promise<void> {
  const { signal } = new AbortController();
  for (const [name, ask] of Object.entries(questions)) {
    const answer = await ask(signal);
    await expectAborted({ [name]: ask });
    const aborted = () => rejectionOf(ask(AbortSignal.abort('gone')));
    const all = await Promise.all([aborted(), ask(signal), aborted()]);
    expect(all, `${name}, at once`).to.deep.equal(['gone', answer, 'gone']);
    const controller = new AbortController();
    const onTheWay = ask(controller.signal).catch(() => undefined);
    const beside = ask(signal);
    controller.abort();
    expect(await beside, `${name}, beside one aborted on the way`).to.deep.equal(answer);
    await onTheWay;
  }
}

const [FEW, MANY] = [8, 60];
/** How many more files and connections may be open than before, as pools come and go. */
export const SPARE = 12;

/**
 * Aborts a call after so many turns of the event loop: it rejects with the reason, or was done before. Answers what came
 * of it in that case.
 */
export async function abortedAfter<Answer>(
  turns: number,
  call: (signal: AbortSignal) => Promise<Answer>,
): Promise<{ readonly answer: Answer } | undefined> {
  const [controller, thrown] = [new AbortController(), ALL_REASONS[turns % ALL_TURNS]];
  const outcome = call(controller.signal).then(
    (answer) => ({ answer }),
    (reason: unknown) => {
      expect(reason, `what an abort after ${turns} turns rejects with`).to.equal(thrown);
      return undefined;
    },
  );
  // What fails before the abort is told after it.
  outcome.catch(() => undefined);
  for (let n = 0; n < turns; n += 1) await nextTurn();
  controller.abort(thrown);
  const came = await outcome;
  expectNobodyListens(controller.signal, `aborted after ${turns} turns`);
  return came;
}

function expectNobodyListens(signal: AbortSignal, what: string): void {
  expect(getEventListeners(signal, 'abort'), `${what}: listeners`).to.have.lengthOf(0);
}

/** Fails if calls leave anything of themselves behind: a listener on their signal, a file or a connection each. */
export async function expectNothingLeft(calls: Readonly<Record<string, Interruptible>>): Promise<void> {
  const { signal } = new AbortController();
  for (const [name, call] of Object.entries(calls)) {
    const once = async (): Promise<void> => {
      await call(signal);
      expectNobodyListens(signal, name);
    };
    for (let n = 0; n < FEW; n += 1) await once();
    const held = descriptors();
    for (let n = 0; n < MANY; n += 1) await once();
    const left = await leftOpen(held, descriptors);
    expect(left, `${name}: open files and connections after ${MANY} calls more`).to.be.below(SPARE);
  }
}

/** Questions in every way they may end: answered, aborted before or on the way, and while nothing answers. */
export function inEveryEnd<Port>(
  port: Port,
  dead: Port,
  questions: Readonly<Record<string, (port: Port, signal: AbortSignal) => Promise<unknown>>>,
): Readonly<Record<string, Interruptible>> {
  const ends = Object.entries(questions).map(
    ([name, ask]): Readonly<Record<string, Interruptible>> => ({
      [name]: (signal) => ask(port, signal),
      [`${name}, aborted before`]: () => aborted((signal) => ask(port, signal), 'before'),
      [`${name}, aborted on the way`]: () => aborted((signal) => ask(port, signal), 'on the way'),
      [`${name}, while nothing answers`]: (signal) => ask(dead, signal).catch(() => undefined),
    }),
  );
  return Object.assign({}, ...ends);
}

/** Fails if a call goes on listening to a signal that was aborted. */
async function aborted(call: Interruptible, when: 'before' | 'on the way'): Promise<void> {
  const controller = new AbortController();
  if (when === 'before') controller.abort();
  const ended = call(controller.signal).catch(() => undefined);
  controller.abort();
  await ended;
  expectNobodyListens(controller.signal, `aborted ${when}`);
}

/** How many files this process has open, without connections, where the system tells. */
export function openFiles(): number {
  try {
    return readdirSync('/dev/fd').filter((name) => isFile(Number(name))).length;
  } catch {
    return 0;
  }
}

/** How many more files are open than before, once that has settled. */
export function filesLeftOpen(before: number): Promise<number> {
  return leftOpen(before, openFiles);
}

/** Others in the process, such as a thread that loads modules, have some open for a moment. */
async function leftOpen(before: number, count: () => number): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const left = count() - before;
    if (left < SPARE || tries === 250) return left;
    await setTimeout(20);
  }
}

function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

/** How many files and connections this process has open, where the system tells. */
function descriptors(): number {
  try {
    return readdirSync('/dev/fd').length;
  } catch {
    return 0;
  }
}
