import type { Persistence } from '@pinfold/core/adapter';
import type { Bind } from 'inversify';
import { tokens } from './tokens.ts';

/** Binds a database and its stores; it is opened once, and closed when it is unbound. */
export function bindPersistence(bind: Bind, open: () => Persistence | Promise<Persistence>): void {
  bind(tokens.persistence)
    .toResolvedValue(open)
    .inSingletonScope()
    .onDeactivation((persistence) => persistence.close());
  bind(tokens.roles)
    .toResolvedValue(({ roles }) => roles, [tokens.persistence])
    .inSingletonScope();
  bind(tokens.accounts)
    .toResolvedValue(({ accounts }) => accounts, [tokens.persistence])
    .inSingletonScope();
  bind(tokens.mode)
    .toResolvedValue(({ mode }) => mode, [tokens.persistence])
    .inSingletonScope();
  bind(tokens.attempts)
    .toResolvedValue(({ attempts }) => attempts, [tokens.persistence])
    .inSingletonScope();
  bind(tokens.apiKeys)
    .toResolvedValue(({ apiKeys }) => apiKeys, [tokens.persistence])
    .inSingletonScope();
  bind(tokens.sessions)
    .toResolvedValue(({ sessions }) => sessions, [tokens.persistence])
    .inSingletonScope();
  bind(tokens.history)
    .toResolvedValue(({ history }) => history, [tokens.persistence])
    .inSingletonScope();
  bind(tokens.takedowns)
    .toResolvedValue(({ takedowns }) => takedowns, [tokens.persistence])
    .inSingletonScope();
  bind(tokens.views)
    .toResolvedValue(({ views }) => views, [tokens.persistence])
    .inSingletonScope();
  bind(tokens.snapshot)
    .toResolvedValue(({ snapshot }) => snapshot, [tokens.persistence])
    .inSingletonScope();
  bind(tokens.imports)
    .toResolvedValue(({ imports }) => imports, [tokens.persistence])
    .inSingletonScope();
  bind(tokens.pairings)
    .toResolvedValue(({ pairings }) => pairings, [tokens.persistence])
    .inSingletonScope();
}
