import type { Clock, Instant } from '@pinfold/core';
import { type ClockSubject, clockContract } from '@pinfold/test-contracts';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { saboteursOf } from './one-for-each.ts';
import type { Sabotage } from './sabotage.ts';

const soundSubject = async (): Promise<ClockSubject> => {
  const clock = createManualClock();
  return {
    port: clock,
    peer: async () => clock,
    elapse: async (length) => clock.advance(length),
    dispose: async () => {},
  };
};

const saboteur = saboteursOf<Clock, ClockSubject>(soundSubject);

export const clockSabotage: Sabotage<Clock, ClockSubject> = {
  contract: clockContract,
  sound: () => soundSubject,
  saboteurs: [
    saboteur('clock/now', 'it tells fractions of a millisecond', () => (sound) => ({
      now: () => (sound.now() + 0.5) as Instant,
    })),
    saboteur(
      'clock/sleep',
      'more milliseconds than 31 bits can count are over at once',
      () => (sound) => ({
        sleep: (length, signal) => (length >= 2 ** 31 ? Promise.resolve() : sound.sleep(length, signal)),
      }),
      ['clock/sleep-aborted'],
    ),
    saboteur('clock/sleep-aborted', 'it goes on listening to a signal after the sleep', () => (sound) => ({
      sleep: (length, signal) => {
        signal?.addEventListener('abort', () => {});
        return sound.sleep(length, signal);
      },
    })),
  ],
};
