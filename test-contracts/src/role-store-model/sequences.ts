import { days, hours, minutes, type RoleStore, seconds } from '@pinfold/core';
import fc from 'fast-check';
import type { Subject } from '../contract.ts';
import { RoleModel } from './model.ts';
import {
  advance,
  CHANGES,
  change,
  claim,
  commit,
  compareArchives,
  findByKey,
  list,
  load,
  purge,
  type RealStore,
  release,
  renew,
  reserve,
  Step,
  settle,
} from './steps.ts';

/** How often and from where a property is tried. */
export interface ModelOptions {
  /** How many random runs; 100 when absent. */
  readonly runs?: number;
  /** Where randomness begins: that of a failed run repeats it. */
  readonly seed?: number;
}

/** Few keys and leases, so that steps meet. */
const any = fc.nat({ max: 9 });
const key = fc.integer({ min: 1, max: 6 });
const limit = fc.constantFrom(1, 2, 3, 100);
const pauses = fc.constantFrom(seconds(30), minutes(1), minutes(10), hours(2), hours(13), days(7));
const states = fc.constantFrom(undefined, 'published' as const, 'expired' as const, 'deleted' as const);

type Work = ConstructorParameters<typeof Step>[2];

/** Steps of one name over random inputs, on any handle. */
function steps<Inputs extends unknown[]>(
  name: string,
  inputs: { [Index in keyof Inputs]: fc.Arbitrary<Inputs[Index]> },
  work: (...inputs: Inputs) => Work,
): fc.Arbitrary<Step> {
  return fc
    .tuple(fc.nat({ max: 1 }), fc.tuple<Inputs>(...inputs))
    .map(([handle, values]) => new Step(`${name} ${JSON.stringify(values)}`, handle, work(...values)));
}

/** How often each command comes up: sequences in which little is published or ends prove little. */
const WEIGHTS: readonly (readonly [weight: number, step: fc.Arbitrary<Step>])[] = [
  [3, steps('reserve', [key, fc.integer({ min: 1, max: 2 })], reserve)],
  [3, steps('commit', [any], commit)],
  [3, steps('load', [any], load)],
  [4, steps('change', [any, fc.constantFrom(...CHANGES)], change)],
  [3, steps('advance', [pauses], advance)],
  [1, steps('renew', [any, pauses], renew)],
  [1, steps('release', [any], release)],
  [3, steps('claim', [limit], claim)],
  [2, steps('settle', [any, fc.option(pauses, { nil: undefined })], settle)],
  [1, steps('purge', [pauses], purge)],
  [2, steps('list', [states, limit], list)],
  [1, steps('find by key', [key], findByKey)],
  [1, steps('compare archives', [limit], compareArchives)],
];
const COMMANDS = WEIGHTS.flatMap(([weight, step]) => Array.from({ length: weight }, () => step));

/**
 * Runs random sequences of everything a store can do, over a port and a peer in turn, beside a model that is too
 * simple to be wrong. Rejects with the shortest sequence found in which the two differ.
 *
 * @param create makes a subject over empty data of its own, as for a contract; called for each run.
 *
 * @example
 * import { createMemory } from '@pinfold/memory';
 * import { checkRoleStoreSequences } from '@pinfold/test-contracts';
 *
 * const create = async () => {
 *   const memory = createMemory();
 *   return { port: memory.roles, peer: async () => memory.peer().roles, dispose: () => memory.close() };
 * };
 * await checkRoleStoreSequences(create, { runs: 2 });
 */
export async function checkRoleStoreSequences(
  create: () => Promise<Subject<RoleStore>>,
  options: ModelOptions = {},
): Promise<void> {
  const { runs = 100, seed } = options;
  const property = fc.asyncProperty(
    fc.commands(COMMANDS, { maxCommands: 200, size: 'max' }),
    async (commands) => {
      const subject = await create();
      try {
        const ports = [subject.port, await subject.peer()];
        const setup = (): { model: RoleModel; real: RealStore } => ({
          model: new RoleModel(),
          real: { ports, looks: new Map() },
        });
        await fc.asyncModelRun(setup, commands);
      } finally {
        await subject.dispose();
      }
    },
  );
  await fc.assert(property, { numRuns: runs, ...(seed === undefined ? {} : { seed }) });
}
