import { setImmediate } from 'node:timers/promises';
import { type AttemptOutcome, after, minutes, type Token } from '@pinfold/core';
import type { Persistence } from '@pinfold/core/adapter';
import {
  aComparison,
  anEvent,
  aPublication,
  aReservation,
  aRoleId,
  leaseOf,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import { openSqlite } from '../src/index.ts';

/** The tasks that separate processes do with the file at the same moment. */
export type Contest = 'migrate' | 'reserve' | 'save' | 'attempt' | 'publish' | 'begin';

const CONTESTS: Readonly<Record<Contest, (handle: Persistence, name: string) => Promise<number>>> = {
  /** Returns how often it was the first. */
  migrate: async (handle) => {
    await handle.migrate();
    const outcome = await handle.roles.saveComparison(aComparison(), undefined);
    return outcome.kind === 'saved' ? 1 : 0;
  },

  /** Returns how many of the keys it reserved. */
  reserve: async ({ roles }, name) => {
    let reserved = 0;
    for (let n = 1; n <= 100; n += 1) {
      const outcome = await roles.reserve(aReservation(n, { token: `${name} ${n}` as Token }));
      if (outcome.kind === 'reserved') reserved += 1;
    }
    return reserved;
  },

  /** Saves a change a hundred times, deciding again after each conflict; returns how many were stored. */
  save: async ({ roles }) => {
    let saved = 0;
    while (saved < 100) {
      const loaded = await roles.load(aRoleId(1));
      if (loaded === undefined) throw new Error('the role does not exist');
      const generation = (loaded.value.generation + 1) as typeof loaded.value.generation;
      const outcome = await roles.save({ ...loaded.value, generation }, loaded.version, [anEvent()]);
      if (outcome.kind === 'saved') saved += 1;
    }
    return saved;
  },

  /** Returns how many attempts were admitted. */
  attempt: async ({ attempts }) => {
    const outcomes: AttemptOutcome[] = [];
    for (let n = 0; n < 60; n += 1) {
      outcomes.push(
        await attempts.begin({
          role: aRoleId(1),
          address: `192.0.2.${n % 2}`,
          now: after(START, minutes(1)),
          window: minutes(5),
          perAddress: 30,
          perRole: 50,
        }),
      );
    }
    return outcomes.filter((outcome) => outcome.kind === 'admitted').length;
  },

  /** Publishes until it is killed, and reports each acknowledged publication. */
  publish: async ({ roles }) => {
    for (let n = 1; ; n += 1) {
      await publishTo(roles, aPublication(n));
      await roles.reserve(aReservation(1_000_000 + n));
      await roles.commit(aPublication(1_000_000 + n), leaseOf(aReservation(1_000_000 + n)), [anEvent()]);
      process.send?.(n);
    }
  },

  /** Reserves key after key until it is killed, while a thread copies the log, and reports every hundredth. */
  begin: async ({ roles }) => {
    for (let n = 1; ; n += 1) {
      await roles.reserve(aReservation(n));
      await setImmediate();
      if (n % 100 === 0) process.send?.(n);
    }
  },
};

const [contest, file, name] = process.argv.slice(2) as [Contest, string, string];
const handle = await openSqlite({ file });
process.once('message', async () => {
  process.send?.(await CONTESTS[contest](handle, name));
  await handle.close();
  process.disconnect();
});
process.send?.('ready');
