import type { Clock } from '@pinfold/core';
import { type ClockSubject, clockContract } from '@pinfold/test-contracts';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { derived, type PortShape } from './derive.ts';
import { type MutantTable, mutating } from './mutant.ts';

const openSound = async (): Promise<ClockSubject> => {
  const clock = createManualClock();
  return {
    port: clock,
    peer: async () => clock,
    elapse: async (length) => clock.advance(length),
    dispose: async () => {},
  };
};

const mutant = mutating<Clock, ClockSubject>(openSound);

const shape: PortShape<Clock> = {
  code: 'store_corrupt',
  methods: {
    now: {
      early: null,
      answers: 'instant',
      clauses: 'sleep now',
      untested: 'answers.{earlier,later}',
    },
    sleep: {
      takes: { length: 'count', signal: 'signal' },
      clauses: 'sleep sleep-aborted',
      untested: 'caches coversUp isCurt isRaw misnames takes.length.fewer',
      tested: 'repeats',
    },
  },
};

export const clockTable: MutantTable<Clock, ClockSubject> = {
  contract: clockContract,
  sound: () => openSound,
  mutants: derived(shape, mutant),
};
