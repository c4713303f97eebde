import { getEventListeners } from 'node:events';
import { fstatSync, readdirSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';
import { Fault, type FaultCode } from '@pinfold/core';
import { expect } from 'chai';
import { rejectionOf } from './rejection.ts';

export type Interruptible = (signal: AbortSignal) => Promise<unknown>;

/** Reasons of aborts that look like errors of a network or a file system. */
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

/** Reasons for which calls may be aborted: any value. */
const REASONS: readonly unknown[] = [RESET, MISSING, TIMEOUT, ABSENT, FAULT, ...ODD];

/** Reasons that look like errors that a store handles: the file exists, is busy, has no such range. */
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

/** The number of turns after which calls were aborted for every reason, if each call is aborted one turn later. */
export const ALL_TURNS: number = ALL_REASONS.length;

/** Fails unless each call rejects with the reason, whatever it is, of a signal that was aborted before the call. */
export async function expectAborted(calls: Readonly<Record<string, Interruptible>>): Promise<void> {
  for (const [name, call] of Object.entries(calls)) {
    for (const signal of [...ALL_REASONS.map((reason) => AbortSignal.abort(reason)), AbortSignal.abort()]) {
      expect(await rejectionOf(call(signal), name), name).to.equal(signal.reason);
      expectNoListeners(signal, name);
    }
  }
}

/** Fails unless a call rejects with the reason of a signal that was aborted before it, or while it runs. */
export async function expectAbortedEarlyAndLate(call: Interruptible): Promise<void> {
  const reason = { why: 'the request went away' };
  expect(await rejectionOf(call(AbortSignal.abort(reason)))).to.equal(reason);
  const controller = new AbortController();
  const running = call(controller.signal);
  controller.abort(reason);
  expect(await rejectionOf(running), 'while it runs').to.equal(reason);
}

/** Fails unless each query is answered for callers that did not abort it, even when others abort the same query. */
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
/** How many more files and connections may be open than before, since pools grow and shrink. */
export const SPARE = 12;

/**
 * Aborts a call after a number of turns of the event loop: it rejects with the reason, or ended before. Returns the
 * answer in that case.
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
  // A failure before the abort is reported after it.
  outcome.catch(() => undefined);
  for (let n = 0; n < turns; n += 1) await nextTurn();
  controller.abort(thrown);
  const result = await outcome;
  expectNoListeners(controller.signal, `aborted after ${turns} turns`);
  return result;
}

function expectNoListeners(signal: AbortSignal, what: string): void {
  expect(getEventListeners(signal, 'abort'), `${what}: listeners`).to.have.lengthOf(0);
}

/** Fails if calls leave a listener on their signal, an open file or a connection. */
export async function expectNothingLeft(calls: Readonly<Record<string, Interruptible>>): Promise<void> {
  const { signal } = new AbortController();
  for (const [name, call] of Object.entries(calls)) {
    const once = async (): Promise<void> => {
      await call(signal);
      expectNoListeners(signal, name);
    };
    for (let n = 0; n < FEW; n += 1) await once();
    const before = descriptors();
    for (let n = 0; n < MANY; n += 1) await once();
    const added = await leftOpen(before, descriptors);
    expect(added, `${name}: open files and connections after ${MANY} calls more`).to.be.below(SPARE);
  }
}

/** Queries with every way in which they may end: answered, aborted before or while they run, or without an answer. */
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

/** Fails if a call still listens to a signal that was aborted. */
async function aborted(call: Interruptible, when: 'before' | 'on the way'): Promise<void> {
  const controller = new AbortController();
  if (when === 'before') controller.abort();
  const ended = call(controller.signal).catch(() => undefined);
  controller.abort();
  await ended;
  expectNoListeners(controller.signal, `aborted ${when}`);
}

/** How many files, without connections, this process has open, on systems that report it. */
export function openFiles(): number {
  try {
    return readdirSync('/dev/fd').filter((name) => isFile(Number(name))).length;
  } catch {
    return 0;
  }
}

/** How many more files are open than before, when their number no longer changes. */
export function filesLeftOpen(before: number): Promise<number> {
  return leftOpen(before, openFiles);
}

/** Waits, since other code of the process, such as a thread that loads modules, opens some files briefly. */
async function leftOpen(before: number, count: () => number): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const added = count() - before;
    if (added < SPARE || tries === 250) return added;
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

/** How many files and connections this process has open, on systems that report it. */
function descriptors(): number {
  try {
    return readdirSync('/dev/fd').length;
  } catch {
    return 0;
  }
}
