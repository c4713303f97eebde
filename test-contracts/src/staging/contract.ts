import { after, hours, type Staging } from '@pinfold/core';
import { expect } from 'chai';
import { type Contract, toClauses, withPeer } from '../contract.ts';
import { START } from '../fixtures/clock.ts';
import { someBytes } from '../fixtures/staged.ts';
import { receiveClauses } from './receive.ts';
import { LARGE, receive, type StagingClauses, type StagingSubject } from './subject.ts';
import { sweepClauses } from './sweep.ts';

const harness: StagingClauses = {
  'staging/harness-apart: two subjects do not see each other, and each begins empty': async (
    subject,
    another,
  ) => {
    await receive(subject.port, someBytes(LARGE, 1));
    const other = await another();
    expect(await other.left(), 'the other one').to.equal(0);
    await other.port.sweep(after(START, hours(1_000)));
    expect(await subject.left(), 'the first one').to.equal(1);
  },
  'staging/harness-peer: a peer sees what the port received': withPeer(async (port, peer) => {
    await receive(port, someBytes(LARGE, 1));
    expect(await peer.sweep(after(START, hours(1_000)))).to.equal(1);
  }),
};

/** The promises of {@link Staging}. */
export const stagingContract: Contract<Staging, StagingSubject> = {
  port: 'Staging',
  harness: toClauses(harness),
  clauses: toClauses({ ...receiveClauses, ...sweepClauses }),
};
