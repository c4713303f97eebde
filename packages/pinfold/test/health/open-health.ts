import {
  type ArchiveStorage,
  type Fault,
  instant,
  type RoleStore,
  type Staging,
  seconds,
} from '@pinfold/core';
import { instrument, type Persistence } from '@pinfold/core/adapter';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { Health } from '../../src/health/health.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The state of the stores, which a test sets, and the checks that they received. */
class Backends {
  readonly checks = { database: 0, storage: 0, staging: 0, listings: 0 };
  readonly faults: { database?: Fault; storage?: Fault; staging?: Fault } = {};
  /** Milliseconds by which the database's clock is ahead. */
  databaseClock = 0;
  /** Free bytes of the disk for uploads. */
  free = 1_000;

  answer<Result>(part: 'database' | 'storage' | 'staging', result: Result): Promise<Result> {
    const fault = this.faults[part];
    return fault === undefined ? Promise.resolve(result) : Promise.reject(fault);
  }
}

function createPorts(backends: Backends) {
  const { checks } = backends;
  const roles: Partial<RoleStore> = {
    load: () => backends.answer('database', undefined),
    renew: () => backends.answer('database', { kind: 'lost' as const }),
  };
  const archives: Partial<ArchiveStorage> = {
    check: () => {
      checks.storage += 1;
      return backends.answer('storage', undefined);
    },
    list: async () => {
      checks.listings += 1;
      return [];
    },
    read: () => backends.answer('storage', undefined),
    delete: () => backends.answer('storage', undefined),
  };
  const staging: Partial<Staging> = {
    check: () => {
      checks.staging += 1;
      return backends.answer('staging', undefined);
    },
    receive: () => backends.answer('staging', { kind: 'too_large' as const }),
  };
  return {
    roles: roles as RoleStore,
    archives: archives as ArchiveStorage,
    staging: staging as Staging,
  };
}

/** Opens the health of stores that count their checks, and that fail with the faults that a test sets. */
export function openHealth() {
  const clock = createManualClock();
  const backends = new Backends();
  const { checks, faults } = backends;
  const persistence: Partial<Persistence> = {
    check: () => {
      checks.database += 1;
      return backends.answer('database', instant(clock.now() + backends.databaseClock));
    },
  };
  const health = new Health();
  const ports = instrument(createPorts(backends), [health.observer]);
  const disk = { free: async () => backends.free, archiveBytes: 100 };
  health.watch({ ...ports, persistence: persistence as Persistence, clock, disk });
  const stop = new AbortController();
  const running = health.run(clock, stop.signal);
  return {
    health,
    checks,
    faults,
    ...ports,
    setFree: (bytes: number): void => {
      backends.free = bytes;
    },
    setDatabaseClock: (ahead: number): void => {
      backends.databaseClock = ahead;
    },
    /** Advances the time, in the steps of the timer that checks the stores. */
    passSeconds: async (count: number): Promise<void> => {
      for (let passed = 0; passed < count; passed += 5) {
        clock.advance(seconds(5));
        await nextTurn();
      }
    },
    end: async (): Promise<void> => {
      stop.abort();
      await running;
    },
  };
}
