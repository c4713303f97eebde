import { checkRoleStoreSequences, checkRoleStoreStorms } from '@pinfold/test-contracts';
import { subjectsOf } from './postgres-subject.ts';

describe('PostgresRoleStore against a model', function () {
  this.timeout(300_000);
  const create = subjectsOf((handle) => handle.roles);

  it('agrees after any sequence of commands', () => checkRoleStoreSequences(create, { runs: 15 }));

  it('keeps every promise when many act at once', () => checkRoleStoreStorms(create, { runs: 60 }));
});
