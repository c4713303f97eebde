import { expect } from 'chai';
import { FULL, WaitingLine } from '../src/waiting-line.ts';

/** A task that ends when it is told to, and counts how many run. */
function tasks(): {
  readonly begun: number[];
  readonly task: (n: number) => () => Promise<number>;
  end(n: number): void;
} {
  const begun: number[] = [];
  const ends = new Map<number, () => void>();
  return {
    begun,
    task: (n) => () => {
      begun.push(n);
      return new Promise((resolve) => ends.set(n, () => resolve(n)));
    },
    end: (n) => ends.get(n)?.(),
  };
}

const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('WaitingLine', () => {
  it('runs no more at once than it has places, in the order they came', async () => {
    const [line, { begun, task, end }] = [new WaitingLine(2, 10), tasks()];
    const all = [1, 2, 3, 4].map((n) => line.run(task(n)));
    await turns();
    expect(begun).to.deep.equal([1, 2]);
    end(2);
    await turns();
    expect(begun).to.deep.equal([1, 2, 3]);
    end(1);
    end(3);
    await turns();
    end(4);
    expect(await Promise.all(all)).to.deep.equal([1, 2, 3, 4]);
  });

  it('is full when as many wait as may', async () => {
    const [line, { task, end }] = [new WaitingLine(1, 1), tasks()];
    const [first, second] = [line.run(task(1)), line.run(task(2))];
    expect(await line.run(task(3))).to.equal(FULL);
    end(1);
    await turns();
    end(2);
    expect(await Promise.all([first, second])).to.deep.equal([1, 2]);
  });

  it('keeps the place of a task that was aborted until it ends', async () => {
    const [line, { begun, task, end }] = [new WaitingLine(1, 1), tasks()];
    const [controller, reason] = [new AbortController(), new Error('gone')];
    const aborted = line.run(task(1), controller.signal).catch((error: unknown) => error);
    const next = line.run(task(2));
    await turns();
    controller.abort(reason);
    expect(await aborted).to.equal(reason);
    expect(begun).to.deep.equal([1]);
    end(1);
    await turns();
    expect(begun).to.deep.equal([1, 2]);
    end(2);
    expect(await next).to.equal(2);
  });

  it('gives the place on when a task fails, even at once', async () => {
    const [line, failure] = [new WaitingLine(1, 1), new Error('failed')];
    const fail = (): never => {
      throw failure;
    };
    expect(await line.run(fail).catch((error: unknown) => error)).to.equal(failure);
    expect(await line.run(async () => 'next')).to.equal('next');
  });
});
