import type { Clock } from '@pinfold/core';
import { tokens } from '@pinfold/inversify';
import { ScryptPasswordHasher } from '@pinfold/platform-node';
import { ContainerModule } from 'inversify';

/** Replaces what a test of the whole server cannot wait for: the cost of a password, and the time. */
export function testModule(clock?: Clock): ContainerModule {
  return new ContainerModule(({ rebind }) => {
    const passwords = new ScryptPasswordHasher({ cost: { logN: 4, r: 8, p: 1 } });
    rebind(tokens.passwords).toConstantValue(passwords);
    if (clock !== undefined) rebind(tokens.clock).toConstantValue(clock);
  });
}
