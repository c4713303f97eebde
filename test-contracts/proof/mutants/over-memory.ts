import { createMemory, type Memory } from '@pinfold/memory';
import type { Contract, StoreSubject } from '@pinfold/test-contracts';
import { type Mutant, type MutantTable, type Mutate, mutating } from './mutant.ts';

export type StoreTable<Port> = MutantTable<Port, StoreSubject<Port>>;

/** Mutants of stores of the memory adapter. */
export interface OverMemory<Port> {
  readonly mutant: Mutate<Port, StoreSubject<Port>>;
  /** Adds the mutants that every store has: subjects that share their data, and peers that do not. */
  readonly table: (
    contract: Contract<Port, StoreSubject<Port>>,
    mutants: readonly Mutant<StoreSubject<Port>>[],
  ) => StoreTable<Port>;
}

export function overMemory<Port extends object>(storeOf: (memory: Memory) => Port): OverMemory<Port> {
  const subjectOn = (memory: Memory, peer: () => Memory): StoreSubject<Port> => ({
    port: storeOf(memory),
    peer: async () => storeOf(peer()),
    unreachable: async () => storeOf(await closed(memory.peer())),
    dispose: () => memory.close(),
  });
  const openSound = async () => {
    const memory = createMemory();
    return subjectOn(memory, () => memory.peer());
  };
  return {
    mutant: mutating(openSound),
    table: (contract, mutants) => ({
      contract,
      sound: () => openSound,
      mutants: [...harness(subjectOn), ...mutants],
    }),
  };
}

/** Subjects that share their data, and peers that do not. */
export function harness<S>(
  subjectOn: (memory: Memory, peer: () => Memory) => S | Promise<S>,
): readonly Mutant<S>[] {
  return [
    {
      breaks: ['harness-apart'],
      how: 'all subjects share their data',
      open: () => {
        const memory = createMemory();
        return async () => subjectOn(memory.peer(), () => memory.peer());
      },
    },
    {
      breaks: ['harness-peer'],
      how: 'a peer opens data of its own',
      open: () => async () => subjectOn(createMemory(), createMemory),
    },
  ];
}

export async function closed(memory: Memory): Promise<Memory> {
  await memory.close();
  return memory;
}
