import { expect } from 'chai';
import { bindContract, type Clause, type Contract, checkClause, type Subject } from '../src/contract.ts';
import { rejectionOf } from '../src/rejection.ts';

interface Counter {
  next(): number;
}

const next: Clause<Counter> = {
  id: 'counter/next',
  text: 'it counts from 1',
  check: async ({ port }) => {
    expect(port.next()).to.equal(1);
  },
};

const apart: Clause<Counter> = {
  id: 'counter/apart',
  text: 'two count apart',
  check: async ({ port }, another) => {
    port.next();
    expect((await another()).port.next()).to.equal(1);
  },
};

const counterContract: Contract<Counter> = {
  port: 'Counter',
  harness: [{ id: 'counter/harness-fresh', text: 'it is fresh', check: async () => {} }],
  clauses: [next, apart],
};

function counters(): { create: () => Promise<Subject<Counter>>; readonly log: string[] } {
  const log: string[] = [];
  let made = 0;
  return {
    log,
    create: async () => {
      const name = ++made;
      let count = 0;
      const port: Counter = { next: () => ++count };
      log.push(`create ${name}`);
      return { port, peer: async () => port, dispose: async () => void log.push(`dispose ${name}`) };
    },
  };
}

describe('bindContract', () => {
  it('declares one test for each clause, the harness first, named by id and promise', () => {
    const titles: string[] = [];
    bindContract(
      counterContract,
      { name: 'MyCounter', create: counters().create },
      {
        describe: (title, body) => {
          titles.push(title);
          body();
        },
        it: (title) => titles.push(title),
      },
    );
    expect(titles).to.deep.equal([
      'MyCounter as Counter',
      'counter/harness-fresh: it is fresh',
      'counter/next: it counts from 1',
      'counter/apart: two count apart',
    ]);
  });

  async function failuresOf(contract: Contract<Counter>): Promise<Readonly<Record<string, string>>> {
    const tests = new Map<string, () => Promise<void>>();
    const runner = {
      describe: (_: string, body: () => void) => body(),
      it: (title: string, body: () => Promise<void>) => tests.set(title.split(':', 1)[0] ?? '', body),
    };
    bindContract(contract, { name: 'MyCounter', create: counters().create }, runner);
    const failures: Record<string, string> = {};
    for (const [id, body] of tests) await body().catch((error: Error) => (failures[id] = error.message));
    return failures;
  }

  it('checks no more clauses after a clause of the harness has failed, and names that one instead', async () => {
    const failing = {
      id: 'counter/harness-open',
      text: 'it opens',
      check: () => Promise.reject(new Error('no counter')),
    };
    const broken = { ...counterContract, harness: [failing, ...counterContract.harness] };
    const message = 'not checked, because counter/harness-open failed: begin with that one';
    expect(await failuresOf(broken)).to.deep.equal({
      'counter/harness-open': 'no counter',
      'counter/harness-fresh': message,
      'counter/next': message,
      'counter/apart': message,
    });
  });

  it('checks every clause after one that is not of the harness has failed', async () => {
    const failing = { id: 'counter/first', text: 'first', check: () => Promise.reject(new Error('broken')) };
    const broken = { ...counterContract, clauses: [failing, ...counterContract.clauses] };
    expect(await failuresOf(broken)).to.deep.equal({ 'counter/first': 'broken' });
  });
});

describe('checkClause', () => {
  it('gives each clause a fresh subject and disposes of every one it opened', async () => {
    const { create, log } = counters();
    await checkClause(next, create);
    await checkClause(apart, create);
    expect(log).to.deep.equal(['create 1', 'dispose 1', 'create 2', 'create 3', 'dispose 2', 'dispose 3']);
  });

  it('disposes of the subject of a clause that failed, and rejects with its error unchanged', async () => {
    const { create, log } = counters();
    const broken = new Error('broken promise');
    const failing = { ...next, check: () => Promise.reject(broken) };
    expect(await rejectionOf(checkClause(failing, create))).to.equal(broken);
    expect(log).to.deep.equal(['create 1', 'dispose 1']);
  });

  it('hides neither error when the check and disposing both fail', async () => {
    const { create } = counters();
    const [broken, stuck] = [new Error('broken promise'), new Error('stuck')];
    const failing = { ...next, check: () => Promise.reject(broken) };
    const stuckSubject = async () => ({ ...(await create()), dispose: () => Promise.reject(stuck) });
    const error = await rejectionOf(checkClause(failing, stuckSubject));
    expect(error).to.be.instanceOf(AggregateError);
    expect((error as AggregateError).errors).to.deep.equal([broken, stuck]);
  });

  it('rejects with the error of a create that fails', async () => {
    const gone = new Error('gone');
    expect(await rejectionOf(checkClause(next, () => Promise.reject(gone)))).to.equal(gone);
  });
});
