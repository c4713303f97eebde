import { createMemory, type Memory } from '@pinfold/memory';
import type { StoreSubject } from '@pinfold/test-contracts';
import { type Mutant, type Mutate, mutating, type Opening } from './mutant.ts';

/** Mutants of stores of the memory adapter. */
export interface OverMemory<Port> {
  readonly sound: Opening<StoreSubject<Port>>;
  readonly mutant: Mutate<Port, StoreSubject<Port>>;
  /** The mutants that every store has: subjects that share their data, and peers that do not. */
  readonly harness: (suite: string) => readonly Mutant<StoreSubject<Port>>[];
}

export function overMemory<Port extends object>(storeOf: (memory: Memory) => Port): OverMemory<Port> {
  const subjectOn = (memory: Memory, peer: () => Memory): StoreSubject<Port> => ({
    port: storeOf(memory),
    peer: async () => storeOf(peer()),
    history: async () => memory.history,
    unreachable: async () => storeOf(await closed(memory.peer())),
    dispose: () => memory.close(),
  });
  const openSound = async () => {
    const memory = createMemory();
    return subjectOn(memory, () => memory.peer());
  };
  return {
    sound: () => openSound,
    mutant: mutating(openSound),
    harness: (suite) => [
      {
        breaks: [`${suite}/harness-apart`],
        how: 'all subjects share their data',
        open: () => {
          const memory = createMemory();
          return async () => subjectOn(memory.peer(), () => memory.peer());
        },
      },
      {
        breaks: [`${suite}/harness-peer`],
        how: 'a peer opens data of its own',
        open: () => async () => subjectOn(createMemory(), createMemory),
      },
    ],
  };
}

export async function closed(memory: Memory): Promise<Memory> {
  await memory.close();
  return memory;
}
