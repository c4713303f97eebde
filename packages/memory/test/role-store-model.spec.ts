import type { RoleStore } from '@pinfold/core';
import { checkRoleStoreSequences, checkRoleStoreStorms, type Subject } from '@pinfold/test-contracts';
import { createMemory } from '../src/index.ts';

async function create(): Promise<Subject<RoleStore>> {
  const memory = createMemory();
  return {
    port: memory.roles,
    peer: async () => memory.peer().roles,
    dispose: () => memory.close(),
  };
}

describe('MemoryRoleStore against a model', () => {
  it('agrees after any sequence of commands', () => checkRoleStoreSequences(create, { runs: 300 }));

  it('keeps every promise when many act at once', () => checkRoleStoreStorms(create, { runs: 300 }));
});
