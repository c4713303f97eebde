import { createMemory, type Memory } from '@pinfold/memory';
import type { StoreSubject } from '@pinfold/test-contracts';
import type { Opening, Saboteur } from './sabotage.ts';

/** Called once for each subject, so that its port and peers can share what it keeps; then once for each of them. */
export type Spoiling<Port> = () => (store: Port) => Partial<Port>;

/** Makes saboteurs of one store of the memory adapter. */
export interface MemorySaboteurs<Port> {
  readonly sound: Opening<StoreSubject<Port>>;
  readonly saboteur: (
    breaks: string,
    how: string,
    spoiling: Spoiling<Port>,
    alsoFails?: readonly string[],
  ) => Saboteur<StoreSubject<Port>>;
  /** Opens subjects over the handles that `handles` gives: a function for each clause, called for each subject. */
  readonly opening: (
    handles: () => () => { memory: Memory; peer: () => Memory },
  ) => Opening<StoreSubject<Port>>;
}

export function memorySaboteurs<Port extends object>(
  storeOf: (memory: Memory) => Port,
): MemorySaboteurs<Port> {
  const opening: MemorySaboteurs<Port>['opening'] = (handles) => () => {
    const open = handles();
    return async () => {
      const { memory, peer } = open();
      return {
        port: storeOf(memory),
        peer: async () => storeOf(peer()),
        unreachable: async () => storeOf(await closed(memory.peer())),
        dispose: () => memory.close(),
      };
    };
  };
  const spoiled =
    (spoiling: Spoiling<Port>): Opening<StoreSubject<Port>> =>
    () =>
    async () => {
      const memory = createMemory();
      const methods = spoiling();
      const wrap = (handle: Memory): Port => {
        const store = storeOf(handle);
        return { ...store, ...methods(store) };
      };
      return {
        port: wrap(memory),
        peer: async () => wrap(memory.peer()),
        history: async () => memory.history,
        unreachable: async () => wrap(await closed(memory.peer())),
        dispose: () => memory.close(),
      };
    };
  return {
    opening,
    sound: spoiled(() => () => ({})),
    saboteur: (breaks, how, spoiling, alsoFails = []) => ({
      breaks,
      how,
      alsoFails,
      open: spoiled(spoiling),
    }),
  };
}

async function closed(memory: Memory): Promise<Memory> {
  await memory.close();
  return memory;
}

/** Subjects that are all one: what one writes, the other sees. */
export function oneForAll(): () => { memory: Memory; peer: () => Memory } {
  const memory = createMemory();
  return () => ({ memory: memory.peer(), peer: () => memory.peer() });
}

/** Subjects whose peers open something else. */
export function strangers(): () => { memory: Memory; peer: () => Memory } {
  return () => ({ memory: createMemory(), peer: createMemory });
}
