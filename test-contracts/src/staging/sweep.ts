import { after, duration, hours, type Staging } from '@pinfold/core';
import { expect } from 'chai';
import { expectNothingLeft } from '../expect-aborts.ts';
import { START } from '../fixtures/clock.ts';
import { someBytes } from '../fixtures/staged.ts';
import { expectFaults, rejectionOf } from '../rejection.ts';
import { bytesOf, failing, inPieces, LARGE, receive, type StagingClauses } from './subject.ts';

export const sweepClauses: StagingClauses = {
  'staging/discard: a discarded archive is removed, so that reading it is the fault staging_unavailable, and discarding again does nothing':
    async (subject) => {
      const { port } = subject;
      const remaining = await receive(port, someBytes(LARGE, 2));
      for (const length of [1_000, LARGE]) {
        const deleted = await receive(port, someBytes(length, 1));
        await deleted.discard();
        await deleted.discard();
        expect(await rejectionOf(bytesOf(deleted))).to.have.property('code', 'staging_unavailable');
      }
      expect(await subject.left()).to.equal(1);
      expect((await bytesOf(remaining)).length, 'the other one').to.equal(LARGE);
    },
  'staging/sweep: older uploads are removed, and younger ones remain': async (subject) => {
    const older = await receive(subject.port, someBytes(LARGE, 1));
    subject.advance(hours(1));
    const younger = await receive(subject.port, someBytes(LARGE, 2));
    const peer = await subject.peer();
    expect(await peer.sweep(START), 'nothing is older than the oldest').to.equal(0);
    expect(await peer.sweep(after(START, duration(1)))).to.equal(1);
    expect(await rejectionOf(bytesOf(older))).to.have.property('code', 'staging_unavailable');
    expect((await bytesOf(younger)).length, 'the younger one').to.equal(LARGE);
    expect(await subject.port.sweep(after(START, hours(1))), 'again').to.equal(0);
    await older.discard();
    expect(await subject.left()).to.equal(1);
  },
  'staging/count: exactly the uploads that a sweep would remove are counted, and nothing is removed': async (
    subject,
  ) => {
    const { port } = subject;
    await receive(port, someBytes(LARGE, 1));
    const discarded = await receive(port, someBytes(LARGE, 2));
    await receive(port, someBytes(LARGE, 3));
    await discarded.discard();
    subject.advance(hours(1));
    await receive(port, someBytes(LARGE, 4));
    const peer = await subject.peer();
    expect(await peer.countAbandoned(START), 'nothing is older than the oldest').to.equal(0);
    expect(await peer.countAbandoned(after(START, hours(1)))).to.equal(2);
    expect(await subject.left()).to.equal(3);
    expect(await peer.sweep(after(START, hours(1)))).to.equal(2);
    expect(await port.countAbandoned(after(START, hours(1)))).to.equal(0);
  },
  'staging/sweep-foreign: foreign files are neither counted nor removed': async (subject) => {
    await subject.strew();
    const strewn = await subject.left();
    await receive(subject.port, someBytes(LARGE, 1));
    const late = after(START, hours(100_000));
    expect(await subject.port.countAbandoned(late), 'counted').to.equal(1);
    expect(await subject.port.sweep(late), 'swept').to.equal(1);
    expect(await subject.left(), 'what is left').to.equal(strewn);
  },
  'staging/unreachable: while the folder is unreachable, every call that needs it rejects with the fault staging_unavailable and its cause':
    async (subject) => {
      const received = await receive(subject.port, someBytes(LARGE, 1));
      const port = await subject.unreachable();
      const calls: Readonly<Record<keyof Staging, Promise<unknown>>> = {
        receive: port.receive(inPieces(someBytes(LARGE, 1)), LARGE),
        sweep: port.sweep(START),
        countAbandoned: port.countAbandoned(START),
        check: port.check(),
      };
      await expectFaults('staging_unavailable', calls);
      await received.discard();
    },
  'staging/lets-go: a call leaves nothing behind when it has ended: no listener on its signal, no open file':
    async ({ port }) => {
      const bytes = someBytes(70_000, 1);
      await expectNothingLeft({
        receive: async (signal) => {
          const outcome = await port.receive(inPieces(bytes), bytes.length, signal);
          if (outcome.kind === 'received') await outcome.archive.discard();
        },
        'too large a body': (signal) => port.receive(inPieces(bytes), 1_000, signal),
        'a failing body': (signal) => rejectionOf(port.receive(failing(bytes), bytes.length, signal)),
        check: (signal) => port.check(signal),
        sweep: () => port.sweep(START),
      });
    },
  'staging/check: a working staging resolves and leaves nothing; an aborted signal rejects with its reason':
    async (subject) => {
      const { port } = subject;
      await port.check();
      const reason = { why: 'stopping' };
      expect(await rejectionOf(port.check(AbortSignal.abort(reason)))).to.equal(reason);
      expect(await subject.left()).to.equal(0);
    },
};
