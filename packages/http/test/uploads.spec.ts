import { accountId, isFault, seconds } from '@pinfold/core';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { Uploads, type UploadsOptions } from '../src/index.ts';

const A = accountId('a');
const B = accountId('b');
/** Never aborts: the client stays. */
const STAYS = new AbortController().signal;

/** Waits until everything that needs no action of the test has happened. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

/** Opens uploads that end when the test ends them; records the order in which they were read. */
function openUploads(options: Partial<UploadsOptions>) {
  const clock = createManualClock();
  const uploads = new Uploads({ clock, ...options });
  const read: string[] = [];
  const ends = new Map<string, () => void>();
  const take = (account: typeof A, name: string, signal: AbortSignal = STAYS) =>
    uploads
      .take(account, signal, () => {
        read.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      })
      .catch((error: unknown) => (isFault(error) ? error.code : error));
  const end = async (name: string) => {
    ends.get(name)?.();
    await settle();
  };
  return { clock, read, take, end };
}

describe('uploads of a process', () => {
  it('are 64 at once, 48 of them of one account, and 512 waiting by default', async () => {
    const { read, take } = openUploads({});
    for (let n = 0; n < 560; n += 1) void take(A, `a${n}`);
    expect(await take(A, 'one too many')).to.equal('publishing_overloaded');
    for (let n = 0; n < 17; n += 1) void take(B, `b${n}`);
    await settle();
    const named = (letter: string, count: number) => Array.from({ length: count }, (_, n) => `${letter}${n}`);
    expect(read).to.deep.equal([...named('a', 48), ...named('b', 16)]);
  });

  it('wait unread for a place, with accounts in turn', async () => {
    const { read, take, end } = openUploads({ places: 1 });
    const all = [take(A, 'a1'), take(A, 'a2'), take(A, 'a3'), take(B, 'b1')];
    expect(read).to.deep.equal(['a1']);
    for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name);
    expect(read).to.deep.equal(['a1', 'a2', 'b1', 'a3']);
    expect(await Promise.all(all)).to.deep.equal(['a1', 'a2', 'a3', 'b1']);
  });

  it('of an account that fills the queue are refused instead of another’s', async () => {
    const { read, take, end } = openUploads({ places: 1, queue: 2 });
    const flood = [take(A, 'a1'), take(A, 'a2'), take(A, 'a3')];
    const other = take(B, 'b1');
    expect(await flood[2]).to.equal('publishing_overloaded');
    for (const name of ['a1', 'a2', 'b1']) await end(name);
    expect(await other).to.equal('b1');
    expect(read).to.deep.equal(['a1', 'a2', 'b1']);
  });

  it('wait 30 seconds at most, and only before they are read', async () => {
    const { clock, read, take, end } = openUploads({ places: 1, queue: 1 });
    const first = take(A, 'a1');
    const waiting = take(A, 'a2');
    clock.advance(seconds(29));
    await settle();
    expect(await take(B, 'b1'), 'the queue is full').to.equal('publishing_overloaded');
    clock.advance(seconds(1));
    expect(await waiting).to.equal('publishing_overloaded');
    const next = take(B, 'b2');
    await end('a1');
    clock.advance(seconds(60));
    await end('b2');
    expect(await Promise.all([first, next])).to.deep.equal(['a1', 'b2']);
    expect(read).to.deep.equal(['a1', 'b2']);
  });

  it('leave the queue when the client leaves', async () => {
    const { read, take, end } = openUploads({ places: 1, queue: 1 });
    const [leaving, reason] = [new AbortController(), new Error('the client left')];
    void take(A, 'a1');
    const waiting = take(A, 'a2', leaving.signal);
    leaving.abort(reason);
    expect(await waiting).to.equal(reason);
    const other = take(B, 'b1');
    await end('a1');
    await end('b1');
    expect(await other).to.equal('b1');
    expect(read).to.deep.equal(['a1', 'b1']);
  });

  it('free their place when they fail', async () => {
    const uploads = new Uploads({ clock: createManualClock(), places: 1 });
    const failed = uploads.take(A, STAYS, () => Promise.reject(new Error('broken')));
    const next = uploads.take(B, STAYS, () => Promise.resolve('next'));
    expect(await failed.catch((error: Error) => error.message)).to.equal('broken');
    expect(await next).to.equal('next');
  });
});
