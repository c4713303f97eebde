import { expect } from 'chai';
import fc from 'fast-check';
import { type Release, Semaphore } from '../../src/adapter.ts';

/** Waits until all work that needs nothing from outside has finished. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

/** Enters by name, and records the order in which places were taken. */
function callersOf(gate: Semaphore<string>) {
  const inside = new Map<string, Release>();
  const order: string[] = [];
  const enter = (key: string, name: string, signal?: AbortSignal, isNew?: boolean) =>
    gate.enter(key, signal, isNew).then((leave) => {
      inside.set(name, leave);
      order.push(name);
    });
  const leave = async (name: string) => {
    inside.get(name)?.();
    inside.delete(name);
    await settle();
  };
  return { inside, order, enter, leave };
}

describe('Semaphore', () => {
  it('admits as many callers as it has places, and then the keys in turn', async () => {
    const { order, enter, leave } = callersOf(new Semaphore({ places: 1, queue: 9 }));
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void enter(name[0] as string, name);
    await settle();
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3']) await leave(name);
    expect(order).to.deep.equal(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('returns a free place, or undefined', async () => {
    const gate = new Semaphore<string>({ places: 2, queue: 1 });
    const first = gate.tryEnter('a');
    expect([typeof first, typeof gate.tryEnter('a'), gate.tryEnter('a')]).to.deep.equal([
      'function',
      'function',
      undefined,
    ]);
    first?.();
    expect(gate.tryEnter('a')).to.be.a('function');
  });

  it('rejects a new caller when the queue is full', async () => {
    const full = new Error('full');
    const { enter, leave, order } = callersOf(new Semaphore({ places: 1, queue: 2, overloaded: () => full }));
    for (const name of ['1', '2', '3']) void enter('a', name);
    expect(await enter('a', '4').catch((error: unknown) => error)).to.equal(full);
    await settle();
    await leave('1');
    void enter('b', '5');
    for (const name of ['2', '3', '5']) await leave(name);
    expect(order).to.deep.equal(['1', '2', '3', '5']);
  });

  it('rejects the last of the longest line, unless the line of the new caller would be as long', async () => {
    const full = new Error('full');
    const { enter, leave, order } = callersOf(new Semaphore({ places: 1, queue: 4, overloaded: () => full }));
    const refused: string[] = [];
    for (const name of ['a0', 'a1', 'b1', 'a2', 'a3', 'b2', 'a4', 'b3', 'c1']) {
      void enter(name[0] as string, name).catch((error: unknown) => error === full && refused.push(name));
      await settle();
    }
    expect(refused).to.deep.equal(['a3', 'a4', 'b3', 'a2']);
    for (const name of ['a0', 'a1', 'b1', 'c1', 'b2']) await leave(name);
    expect(order).to.deep.equal(['a0', 'a1', 'b1', 'c1', 'b2']);
  });

  it('never rejects callers that continue their work, and admits them first of their key', async () => {
    const gate = new Semaphore<string>({ places: 1, queue: 2 });
    const { enter, leave, order } = callersOf(gate);
    for (const name of ['a1', 'a2', 'b1']) void enter(name[0] as string, name);
    for (const name of ['a3', 'a4']) void enter('a', name, undefined, false);
    expect([gate.running, gate.waiting]).to.deep.equal([1, 2]);
    expect(await enter('b', 'b2').catch((error: Error) => error.message)).to.equal('too many wait');
    for (const name of ['a1', 'a3', 'b1', 'a4', 'a2']) await leave(name);
    expect(order).to.deep.equal(['a1', 'a3', 'b1', 'a4', 'a2']);
    expect([gate.running, gate.waiting]).to.deep.equal([0, 0]);
  });

  it('frees a place once, however often it is released', async () => {
    const gate = new Semaphore<string>({ places: 1, queue: 9 });
    const leave = gate.tryEnter('a') as Release;
    const next = gate.enter('a');
    leave();
    leave();
    expect(await next).to.be.a('function');
    expect(gate.tryEnter('a')).to.equal(undefined);
  });

  it('removes a caller that aborts from the queue', async () => {
    const { enter, leave, order, inside } = callersOf(new Semaphore({ places: 1, queue: 1 }));
    const [abort, reason] = [new AbortController(), new Error('gone')];
    void enter('a', '1');
    await settle();
    const waiting = enter('a', '2', abort.signal).catch((error: unknown) => error);
    expect(await enter('b', '3').catch((error: Error) => error.message)).to.equal('too many wait');
    abort.abort(reason);
    expect(await waiting).to.equal(reason);
    void enter('b', '4');
    await leave('1');
    expect(order).to.deep.equal(['1', '4']);
    expect([...inside.keys()]).to.deep.equal(['4']);
    expect(await enter('a', '5', abort.signal).catch((error: unknown) => error)).to.equal(reason);
  });

  it('runs work in a place, which it frees even if the work fails; an abort ends only a wait', async () => {
    const gate = new Semaphore({ places: 1 });
    const [work, abort, reason] = [Promise.withResolvers<string>(), new AbortController(), new Error('gone')];
    const first = gate.run(undefined, () => work.promise, abort.signal);
    const second = gate
      .run(undefined, () => Promise.reject(new Error('broken')))
      .catch((error) => error.message);
    const third = gate.run(undefined, () => Promise.resolve('third'));
    const aborted = gate.run(undefined, () => Promise.resolve(), abort.signal).catch((error) => error);
    abort.abort(reason);
    expect(await aborted, 'a caller that waits').to.equal(reason);
    expect(gate.tryEnter(undefined), 'the work under way has its place').to.equal(undefined);
    work.resolve('first');
    expect(await Promise.all([first, second, third])).to.deep.equal(['first', 'broken', 'third']);
  });

  it('holds no listener on the signal of an admitted caller', async () => {
    const gate = new Semaphore<string>({ places: 1, queue: 9 });
    const leave = gate.tryEnter('a') as Release;
    const listeners = new Set<unknown>();
    const { signal } = new AbortController();
    signal.addEventListener = (_: string, listener: unknown) => void listeners.add(listener);
    signal.removeEventListener = (_: string, listener: unknown) => void listeners.delete(listener);
    const next = gate.enter('a', signal);
    expect(listeners.size).to.equal(1);
    leave();
    await next;
    expect(listeners.size).to.equal(0);
  });

  for (const [places, alone, whileOthersWait] of [
    [1, 1, 1],
    [2, 2, 1],
    [3, 3, 2],
    [5, 4, 3],
    [64, 48, 32],
  ] as const) {
    it(`with limited keys, gives one ${alone} of ${places} places, or ${whileOthersWait} while others wait`, async () => {
      const { inside, enter, leave } = callersOf(new Semaphore({ places, limitsKeys: true }));
      const held = (key: string) => [...inside.keys()].filter((name) => name.startsWith(key)).length;
      for (let n = 0; n < 2 * places; n += 1) void enter('a', `a${n}`);
      await settle();
      expect(held('a')).to.equal(alone);
      for (let n = alone; n < 2 * places; n += 1) void enter('b', `b${n}`);
      await settle();
      expect(held('b'), 'the rest is free for others').to.equal(places - alone);
      while (held('a') > whileOthersWait) {
        await leave([...inside.keys()].find((name) => name.startsWith('a')) ?? '');
        expect(inside.size).to.equal(places);
      }
      expect(held('b'), 'others come first').to.equal(places - whileOthersWait);
    });
  }

  it('never admits more callers than it has places, and loses no place', async () => {
    const step = fc.constantFrom('enter a', 'enter b', 'enter c', 'leave', 'give up');
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        fc.array(step, { maxLength: 40 }),
        async (places, limitsKeys, steps) => {
          const { inside, enter, leave } = callersOf(new Semaphore({ places, queue: 4, limitsKeys }));
          const waiting: AbortController[] = [];
          for (const [index, action] of steps.entries()) {
            const controller = new AbortController();
            if (action === 'leave') await leave([...inside.keys()][0] ?? '');
            else if (action === 'give up') waiting.shift()?.abort(new Error('gone'));
            else {
              void enter(action, `${index}`, controller.signal).catch(() => {});
              waiting.push(controller);
            }
            await settle();
            expect(inside.size).to.be.at.most(places);
          }
          while (inside.size > 0) await leave([...inside.keys()][0] ?? '');
          const all = Array.from({ length: places }, (_, n) => enter(`${n}`, `end ${n}`));
          await Promise.all(all);
          expect(inside.size).to.equal(places);
        },
      ),
    );
  });
});
