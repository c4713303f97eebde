import { expect } from 'chai';
import { type AccountId, accountId, isFault } from '../../src/index.ts';
import { Turns } from '../../src/use-cases/turns.ts';

const A = accountId('a');
const B = accountId('b');

/** Work that ends when it is told to, noting in what order it began. */
function bench(turns: Turns) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (account: AccountId, name: string) =>
    turns.take(account, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await settle();
  };
  return { begun, start, end };
}

/** Lets everything that can go on without outside help go on. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

describe('publications taking turns', () => {
  it('run at once up to the bound, then in order', async () => {
    const { begun, start, end } = bench(new Turns(2, 10));
    const all = [start(A, 'a1'), start(A, 'a2'), start(A, 'a3'), start(A, 'a4')];
    await settle();
    expect(begun).to.deep.equal(['a1', 'a2']);
    await end('a2');
    expect(begun).to.deep.equal(['a1', 'a2', 'a3']);
    for (const name of ['a1', 'a3', 'a4']) await end(name);
    expect(await Promise.all(all)).to.deep.equal(['a1', 'a2', 'a3', 'a4']);
  });

  it('are fair: an account with many does not keep another waiting for all of them', async () => {
    const { begun, start, end } = bench(new Turns(1, 10));
    const all = [start(A, 'a1'), start(A, 'a2'), start(A, 'a3'), start(B, 'b1'), start(B, 'b2')];
    for (const name of ['a1', 'a2', 'b1', 'a3', 'b2']) await end(name);
    await Promise.all(all);
    expect(begun).to.deep.equal(['a1', 'a2', 'b1', 'a3', 'b2']);
  });

  it('refuse at once what comes when too many wait, and take it later', async () => {
    const { start, end } = bench(new Turns(1, 1));
    const first = start(A, 'a1');
    const second = start(A, 'a2');
    const refused = await start(B, 'b1').catch((error: unknown) => error);
    expect(isFault(refused) && refused.code).to.equal('publishing_overloaded');
    await end('a1');
    const third = start(B, 'b2');
    for (const name of ['a2', 'b2']) await end(name);
    expect(await Promise.all([first, second, third])).to.deep.equal(['a1', 'a2', 'b2']);
  });

  it('pass the turn on when the work fails', async () => {
    const turns = new Turns(1, 1);
    const failed = turns.take(A, () => Promise.reject(new Error('broken')));
    const next = turns.take(A, () => Promise.resolve('next'));
    expect(await failed.catch((error: Error) => error.message)).to.equal('broken');
    expect(await next).to.equal('next');
    expect(await turns.take(A, () => Promise.resolve('again'))).to.equal('again');
  });
});
