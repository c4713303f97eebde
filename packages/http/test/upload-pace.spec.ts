import { type AccountId, accountId, seconds } from '@pinfold/core';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { Uploads } from '../src/index.ts';
import { turns } from './incoming.ts';

/** Never aborts: the client stays. */
const STAYS = new AbortController().signal;
const [A, B, C] = ['a', 'b', 'c'].map((name) => accountId(name)) as [AccountId, AccountId, AccountId];
const KIB = 1_024;

/** An upload whose bytes arrive when the test sends them. */
interface Upload {
  received: number;
  isClientsTurn: boolean;
  isBegun: boolean;
  readonly outcome: Promise<string>;
  end(): void;
}

function openUploads(places: number) {
  const clock = createManualClock();
  const uploads = new Uploads({ clock, places });
  const ended: string[] = [];
  const take = (account: AccountId, name: string, signal: AbortSignal = STAYS): Upload => {
    const settled = Promise.withResolvers<string>();
    const upload = { received: 0, isClientsTurn: true, isBegun: false, end: () => settled.resolve('whole') };
    const stall = () => {
      ended.push(name);
      settled.resolve('stalled');
    };
    const outcome = uploads
      .take(account, signal, (follow) => {
        upload.isBegun = true;
        follow(Object.defineProperties({ stall } as never, bytesOf(upload)));
        return settled.promise;
      })
      .catch(() => 'client left');
    return Object.assign(upload, { outcome });
  };
  /** Lets seconds pass; in each, every named upload receives the given number of bytes. */
  const pass = async (count: number, bytes: ReadonlyMap<Upload, number> = new Map()) => {
    for (let n = 0; n < count; n += 1) {
      for (const [upload, more] of bytes) upload.received += more;
      clock.advance(seconds(1));
      await turns();
    }
  };
  return { take, pass, ended };
}

function bytesOf(upload: Pick<Upload, 'received' | 'isClientsTurn'>): PropertyDescriptorMap {
  return {
    received: { get: () => upload.received },
    isClientsTurn: { get: () => upload.isClientsTurn },
  };
}

describe('The pace of an upload', () => {
  it('does not matter while no other account waits', async () => {
    const { take, pass, ended } = openUploads(2);
    for (const name of ['a1', 'a2', 'a3']) take(A, name);
    await pass(25);
    expect(ended).to.deep.equal([]);
  });

  it('ends it after ten seconds below 16 KiB/s while another account waits, and makes room', async () => {
    const { take, pass, ended } = openUploads(2);
    const [slow, quick] = [take(A, 'slow'), take(A, 'quick')];
    const pace = new Map([
      [slow, 16 * KIB - 1],
      [quick, 16 * KIB],
    ]);
    await pass(20, pace);
    const waiting = take(B, 'b1');
    await pass(9, pace);
    expect(ended).to.deep.equal([]);
    await pass(1, pace);
    expect(ended).to.deep.equal(['slow']);
    expect([await slow.outcome, waiting.isBegun]).to.deep.equal(['stalled', true]);
    take(C, 'c1');
    await pass(25, pace);
    expect(ended, 'the upload that just began is the only slow one').not.to.include('quick');
  });

  it('counts only the time while another account waits', async () => {
    const { take, pass, ended } = openUploads(1);
    for (const name of ['a1', 'a2']) take(A, name);
    const leaving = new AbortController();
    take(B, 'b1', leaving.signal);
    await pass(9);
    leaving.abort();
    await turns();
    take(B, 'b2');
    // The wait starts between two measurements, so the window starts with the second one.
    await pass(10);
    expect(ended).to.deep.equal([]);
    await pass(1);
    expect(ended).to.deep.equal(['a1']);
  });

  it('ends the slowest of the account with the most places, and no more of them than uploads wait', async () => {
    const { take, pass, ended } = openUploads(4);
    const slow = [10, 3, 8].map((bytes, n) => [take(A, `a${n}`), bytes] as const);
    const pace = new Map([...slow, [take(B, 'b'), 0] as const]);
    for (const name of ['c1', 'c2']) take(C, name);
    await pass(10, pace);
    // When A has one of its three places left, it has no more than B, whose upload is slower.
    expect(ended).to.deep.equal(['a1', 'a2']);
    take(A, 'a3');
    await pass(5, pace);
    expect(ended).to.have.length(2);
  });

  it('ends no upload of an account while another has more places', async () => {
    const { take, pass, ended } = openUploads(5);
    const quick = ['a1', 'a2', 'a3'].map((name) => [take(A, name), 16 * KIB] as const);
    const slow = ['b1', 'b2'].map((name) => [take(B, name), 8] as const);
    take(C, 'c1');
    const [[first]] = quick as [(typeof quick)[number]];
    await pass(20, new Map([...quick, ...slow]));
    expect(ended).to.deep.equal([]);
    first.end();
    await pass(1, new Map([...quick, ...slow]));
    take(C, 'c2');
    await pass(11, new Map([...quick, ...slow]));
    expect(ended, 'B has as many places as A').to.deep.equal(['b1']);
  });

  it('is not measured while its body is complete or its reader is slower', async () => {
    const { take, pass, ended } = openUploads(1);
    const upload = take(A, 'a1');
    take(B, 'b1');
    await pass(5);
    upload.isClientsTurn = false;
    await pass(5);
    upload.isClientsTurn = true;
    await pass(10);
    expect(ended).to.deep.equal([]);
    await pass(1);
    expect(ended).to.deep.equal(['a1']);
  });
});
