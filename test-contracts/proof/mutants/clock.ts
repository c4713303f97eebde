import type { Clock } from '@pinfold/core';
import { type ClockSubject, clockContract } from '@pinfold/test-contracts';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { derived } from './derive.ts';
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

const clauses = {
  now: 'sleep now',
  sleep: 'sleep sleep-aborted',
};

export const clockTable: MutantTable<Clock, ClockSubject> = {
  contract: clockContract,
  sound: () => openSound,
  derived: derived(mutant, clauses),
  // A clock of one subject may be a millisecond off, and sleeps longer than the suite asks for.
  least: 65,
  stories: [
    mutant('sleep', 'more milliseconds than 31 bits can count are over at once', () => (sound) => ({
      sleep: (length, signal) => (length >= 2 ** 31 ? Promise.resolve() : sound.sleep(length, signal)),
    })),
  ],
};
