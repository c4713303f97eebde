import { createMemory, type Memory } from '@pinfold/memory';
import type { StoreSubject } from '@pinfold/test-contracts';

/** Makes subjects of one store: each over data of its own, with peers that are further handles on that data. */
export function subjectsOf<Port>(storeOf: (memory: Memory) => Port): () => Promise<StoreSubject<Port>> {
  return async () => {
    const memory = createMemory();
    return {
      port: storeOf(memory),
      peer: async () => storeOf(memory.peer()),
      history: async () => memory.history,
      unreachable: async () => {
        const closed = memory.peer();
        await closed.close();
        return storeOf(closed);
      },
      dispose: () => memory.close(),
    };
  };
}
