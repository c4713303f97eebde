import type { Persistence } from '@pinfold/core/adapter';
import { STORES } from '@pinfold/core/internal';
import type { Bind, ServiceIdentifier } from 'inversify';
import { tokens } from './tokens.ts';

/** Binds a database and its stores; it is opened once, and closed when it is unbound. */
export function bindPersistence(bind: Bind, open: () => Persistence | Promise<Persistence>): void {
  bind(tokens.persistence)
    .toResolvedValue(open)
    .inSingletonScope()
    .onDeactivation((persistence) => persistence.close());
  for (const name of STORES) {
    bind(tokens[name] as ServiceIdentifier<object>)
      .toResolvedValue((persistence) => persistence[name], [tokens.persistence])
      .inSingletonScope();
  }
}
