import { setImmediate } from 'node:timers/promises';
import { isFault } from '@pinfold/core';
import type { Database } from '@pinfold/core/records';
import { expect } from 'chai';
import {
  expectAborted,
  expectAbortedAlone,
  expectNothingLeft,
  type Interruptible,
} from '../expect-aborts.ts';
import { expectUnreachable, rejectionOf } from '../rejection.ts';
import { ASK, ask, BY_ISBN, type Command, inserting, run } from './commands.ts';
import type { DatabaseClauses } from './reading.ts';
import { aBook, isbnOf } from './tables.ts';

const GET: Command = { kind: 'get', key: { isbn: isbnOf(1) } };
/** Clocks of tests differ by less. */
const DAY = 86_400_000;
const WORK = { commands: [GET] };

function readsOf(database: Database): Readonly<Record<string, Interruptible>> {
  return {
    read: (signal) => database.read(ASK, WORK, signal),
    peek: async (signal) => database.peek(BY_ISBN, isbnOf(1), signal),
    snapshot: (signal) => database.snapshot(ASK, WORK, signal),
    check: (signal) => database.check(signal).then(() => undefined),
  };
}

function callsOf(database: Database): Readonly<Record<string, () => Promise<unknown>>> {
  const { signal } = new AbortController();
  return {
    ...Object.fromEntries(
      Object.entries(readsOf(database)).map(([name, read]) => [name, () => read(signal)]),
    ),
    openSnapshot: () => database.openSnapshot(),
    write: () => run(database, GET, ...inserting(aBook(9))),
    'write without steps': () => run(database),
    migrate: () => database.migrate(),
    examine: () => database.examine(),
  };
}

export const lifeClauses: DatabaseClauses = {
  'database/unreachable: while the database does not answer, every call rejects with the fault store_unavailable and its cause':
    async ({ unreachable }) => expectUnreachable('store_unavailable', callsOf(await unreachable())),
  'database/closed: every call of a closed handle rejects with the fault store_unavailable, closing again does nothing, and peers still work':
    async ({ port, peer }) => {
      await run(port, ...inserting(aBook(1)));
      const closing = await peer();
      await closing.peek(BY_ISBN, isbnOf(1));
      await closing.close();
      await closing.close();
      for (const [name, call] of Object.entries(callsOf(closing))) {
        const outcome = await call().then(
          () => 'resolved',
          (reason: { code?: unknown }) => reason.code,
        );
        expect(outcome, name).to.equal('store_unavailable');
      }
      expect(await ask(port, GET)).to.include({ title: 'Title 1' });
    },
  'database/snapshot-closed: a closed snapshot rejects with the fault store_unavailable, and its database still works':
    async ({ port }) => {
      await run(port, ...inserting(aBook(1)));
      const snapshot = await port.openSnapshot();
      await snapshot.close();
      const reason = await rejectionOf(snapshot.read(ASK, WORK));
      expect(isFault(reason) && reason.code).to.equal('store_unavailable');
      expect(await ask(port, GET)).to.include({ title: 'Title 1' });
    },
  'database/aborted: an aborted signal rejects with its reason, and the calls of others are answered':
    async ({ port }) => {
      await run(port, ...inserting(aBook(1)));
      const reads = readsOf(port);
      await expectAborted({ ...reads, openSnapshot: (signal) => port.openSnapshot(signal) });
      await expectAbortedAlone(reads);
    },
  'database/lets-go: a call leaves nothing behind when it has ended: no listener on its signal, no open file or connection':
    async ({ port }) => {
      await run(port, ...inserting(aBook(1)));
      await expectNothingLeft({
        ...readsOf(port),
        openSnapshot: async (signal) => {
          const snapshot = await port.openSnapshot(signal);
          await snapshot.read(ASK, WORK, signal);
          await snapshot.close();
        },
        write: () => run(port, GET),
      });
    },
  'database/migrate: many nodes migrate concurrently and again, and stored data stays': async ({
    port,
    peer,
  }) => {
    await run(port, ...inserting(aBook(1)));
    const handles = [port, await peer(), await peer(), await peer()];
    await Promise.all(handles.flatMap((handle) => [handle.migrate(), handle.migrate()]));
    for (const handle of handles) expect(await ask(handle, GET)).to.include({ title: 'Title 1' });
  },
  'database/examine: a sound database has the newest schema and no damage, and its clock, if it has one, counts milliseconds':
    async ({ port }) => {
      const { damage, version, newest, outdated, release } = await port.examine();
      expect({ damage, version, outdated }).to.deep.equal({
        damage: undefined,
        version: newest,
        outdated: undefined,
      });
      expect(release).to.match(/\d/);
      const now = (await port.check()) ?? Date.now();
      expect(now, 'what check() resolves to').to.be.closeTo(Date.now(), DAY);
    },
  'database/pause: others have their turn while a caller pauses, and then it continues': async ({ port }) => {
    let isTurn = false;
    const other = setImmediate().then(() => {
      isTurn = true;
    });
    for (let n = 0; n < 1_000 && !isTurn; n += 1) await port.pause();
    expect(isTurn).to.equal(true);
    await other;
  },
};
