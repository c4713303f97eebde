import { checkRoleStoreSequences, checkRoleStoreStorms } from '@pinfold/test-contracts';
import { subjectsOf } from './memory-subject.ts';

describe('MemoryRoleStore against a model', () => {
  const create = subjectsOf((memory) => memory.roles);

  it('agrees after any sequence of commands', () => checkRoleStoreSequences(create));

  it('keeps every promise when many act at once', () => checkRoleStoreStorms(create));
});
