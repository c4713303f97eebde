import { getEventListeners } from 'node:events';
import { type Clock, type Duration, days, duration } from '@pinfold/core';
import { expect } from 'chai';
import { type ClauseTable, type Contract, type Subject, toClauses, withPeer } from '../contract.ts';
import { rejectionOf } from '../rejection.ts';

/** The subject of the tests of a {@link Clock}. A peer is the same host's clock. */
export interface ClockSubject extends Subject<Clock> {
  /** Lets time pass. Does nothing for a clock that runs by itself. */
  elapse(length: Duration): Promise<void>;
}

const SHORT = duration(5);
/** Longer than the 24.8 days that many timers can count. */
const LONG = days(50);

const clauses: ClauseTable<Clock, ClockSubject> = {
  'clock/now: the time is an integer of milliseconds, and moves back only if the clock of the host does':
    withPeer(async (port, peer, subject) => {
      const readings = [port.now(), peer.now(), port.now()];
      const sleep = port.sleep(SHORT);
      await subject.elapse(SHORT);
      await sleep;
      readings.push(peer.now(), port.now());
      for (const [n, reading] of readings.entries()) {
        expect(Number.isSafeInteger(reading), `${reading}`).to.equal(true);
        expect(reading).to.be.at.least(readings[n - 1] ?? 0);
      }
    }),
  'clock/sleep: a sleep resolves no earlier than after its duration': async (subject) => {
    const { port } = subject;
    const [controller, reason] = [new AbortController(), { why: 'over' }];
    let woken = false;
    const long = port.sleep(LONG, controller.signal).then(() => {
      woken = true;
    });
    for (const length of [SHORT, duration(1), duration(0)]) {
      const start = port.now();
      const sleep = port.sleep(length);
      await subject.elapse(length);
      await sleep;
      expect(port.now() - start, `${length} ms`).to.be.at.least(length);
    }
    expect(woken, `${LONG} ms are over`).to.equal(false);
    controller.abort(reason);
    expect(await rejectionOf(long)).to.equal(reason);
  },
  'clock/sleep-aborted: an aborted signal rejects immediately with its reason, and leaves no timer': async (
    subject,
  ) => {
    const { port } = subject;
    const [controller, reason] = [new AbortController(), { why: 'stopping' }];
    const { signal } = controller;
    const short = port.sleep(SHORT, signal);
    await subject.elapse(SHORT);
    await short;
    expect(getEventListeners(signal, 'abort'), 'after a sleep').to.have.length(0);
    const long = port.sleep(LONG, signal);
    controller.abort(reason);
    expect(await rejectionOf(long), 'while it sleeps').to.equal(reason);
    expect(await rejectionOf(port.sleep(LONG, signal)), 'before').to.equal(reason);
    expect(getEventListeners(signal, 'abort'), 'after the abort').to.have.length(0);
  },
};

/** The promises of {@link Clock}. */
export const clockContract: Contract<Clock, ClockSubject> = {
  port: 'Clock',
  harness: [],
  clauses: toClauses(clauses),
};
