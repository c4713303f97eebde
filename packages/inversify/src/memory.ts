import { createMemory, type Memory } from '@pinfold/memory';
import { ContainerModule } from 'inversify';
import { bindPersistence, tokens } from './tokens.ts';

/** Binds `persistence` and every store of it, and `archives`, to memory: a new one, or one that is given. */
export function memoryModule(memory: Memory = createMemory()): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bindPersistence(bind, () => memory);
    bind(tokens.archives).toConstantValue(memory.archives);
  });
}
