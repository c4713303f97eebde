import { checkRoleStoreSequences, checkRoleStoreStorms } from '@pinfold/test-contracts';
import { subjectsOf } from './sqlite-subject.ts';

describe('SqliteRoleStore against a model', function () {
  this.timeout(300_000);
  const create = subjectsOf((handle) => handle.roles);

  it('agrees after any sequence of commands', () => checkRoleStoreSequences(create, { runs: 50 }));

  it('keeps every promise when many act at once', () => checkRoleStoreStorms(create));
});
