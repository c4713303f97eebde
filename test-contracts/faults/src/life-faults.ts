import { Fault, type Instant, isFault } from '@pinfold/core';
import type { Database } from '@pinfold/core/records';
import { aroundCalls } from '@pinfold/test-contracts/fixtures';
import { type Breaking, type DatabaseFault, inCalls, withLiveSnapshots } from './faulty-database.ts';

/** The calls that take a signal, as their last input. */
const INTERRUPTIBLE = ['read', 'peek', 'snapshot', 'openSnapshot', 'check'];

function isSignal(input: unknown): input is AbortSignal {
  return input instanceof AbortSignal;
}

/** Breaks every call, or every one that takes a signal. */
function everyCall(
  around: (call: () => unknown, signal: AbortSignal | undefined) => unknown,
  isMeant: (name: string) => boolean = () => true,
): Breaking {
  return () => (database) =>
    aroundCalls(database, (name, call, inputs) =>
      isMeant(name) ? around(call, inputs.find(isSignal)) : call(),
    );
}

function isInterruptible(name: string): boolean {
  return INTERRUPTIBLE.includes(name);
}

/** Changes the faults of every call. */
function onFault(change: (fault: Fault) => unknown): Breaking {
  return everyCall(async (call) => {
    try {
      return await call();
    } catch (error) {
      if (isFault(error)) return change(error);
      throw error;
    }
  });
}

function deaf(database: Database): Partial<Database> {
  return {
    read: (query, args) => database.read(query, args),
    peek: (lookup, key) => database.peek(lookup, key),
    snapshot: (query, args) => database.snapshot(query, args),
    openSnapshot: () => database.openSnapshot(),
    check: () => database.check(),
  };
}

/** Aborts all calls of a handle once one call was aborted. */
function abortingAll(): (database: Database) => Partial<Database> {
  return (database) => {
    let running: Promise<unknown> | undefined;
    return {
      snapshot: (query, args, signal) => {
        running ??= database.snapshot(query, args, signal).finally(() => {
          running = undefined;
        });
        return running as never;
      },
    };
  };
}

export const LIFE_FAULTS: readonly DatabaseFault[] = [
  inCalls('harness-open', 'a database is opened without its tables', () => () => ({
    check: async () => {
      throw new Fault('store_unavailable', 'there is no schema');
    },
  })),
  inCalls(
    'unreachable',
    'the cause is passed on in place of the fault',
    onFault(({ cause }) => {
      throw cause;
    }),
  ),
  inCalls(
    'unreachable',
    'a database that does not answer has nothing',
    onFault(() => undefined),
  ),
  inCalls('closed', 'a closed handle answers', () => () => ({ close: async () => {} })),
  inCalls('closed', 'closing one handle closes its peers', () => {
    let isClosed = false;
    return (database) =>
      aroundCalls(database, (name, call) => {
        if (name === 'close') isClosed = true;
        else if (isClosed) throw new Fault('store_unavailable', 'closed', { cause: new Error('closed') });
        return call();
      });
  }),
  inCalls('aborted', 'signals are ignored', () => deaf),
  inCalls('aborted', 'calls at once share the signal of the first', abortingAll),
  inCalls(
    'lets-go',
    'a call leaves a listener on its signal',
    everyCall((call, signal) => {
      signal?.addEventListener('abort', () => undefined);
      return call();
    }, isInterruptible),
  ),
  inCalls('snapshot-closed', 'a closed snapshot answers', () => withLiveSnapshots),
  inCalls('migrate', 'a second migration fails', () => {
    let isMigrated = false;
    return (database) => ({
      migrate: async () => {
        if (isMigrated) throw new Error('it exists');
        isMigrated = true;
        await database.migrate();
      },
    });
  }),
  inCalls('examine', 'the clock counts seconds', () => () => ({
    check: async () => Math.floor(Date.now() / 1_000) as Instant,
  })),
  inCalls('pause', 'a pause gives no other work a turn', () => () => ({ pause: async () => {} })),
];
