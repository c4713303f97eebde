import type { Clock, Machine } from '@pinfold/core';
import { tokens } from '@pinfold/inversify';
import { ScryptPasswordHasher } from '@pinfold/platform-node';
import { ContainerModule } from 'inversify';

/** Replaces slow parts in tests of the whole server: password hashes become cheap, and all clocks that of the test. */
export function testModule(clock?: Clock & Machine): ContainerModule {
  return new ContainerModule(({ rebind, onActivation }) => {
    const passwords = new ScryptPasswordHasher({ cost: { logN: 4, r: 8, p: 1 } });
    rebind(tokens.passwords).toConstantValue(passwords);
    if (clock === undefined) return;
    rebind(tokens.clock).toConstantValue(clock);
    rebind(tokens.machine).toConstantValue(clock);
    onActivation(tokens.persistence, (_context, persistence) => {
      const check = persistence.check.bind(persistence);
      return Object.assign(persistence, {
        check: (signal?: AbortSignal) => check(signal).then(() => undefined),
      });
    });
  });
}
