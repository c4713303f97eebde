import {
  HmacGrantSigner,
  type HmacGrantSignerOptions,
  NodeApiKeySecrets,
  NodeMachine,
  NodeSessionSecrets,
  RandomIds,
  ScryptPasswordHasher,
  type ScryptPasswordHasherOptions,
  SystemClock,
} from '@pinfold/platform-node';
import { ContainerModule } from 'inversify';
import { tokens } from './tokens.ts';

/** What {@link platformNodeModule} needs. */
export interface PlatformNodeModuleOptions extends HmacGrantSignerOptions {
  /** How passwords are hashed. */
  readonly hashing?: ScryptPasswordHasherOptions | undefined;
}

/** Binds `clock`, `machine`, `ids`, `passwords`, `grants`, `apiKeySecrets` and `sessionSecrets`. */
export function platformNodeModule({ secrets, hashing }: PlatformNodeModuleOptions): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(tokens.clock).toConstantValue(new SystemClock());
    bind(tokens.machine).toConstantValue(new NodeMachine());
    bind(tokens.ids).toConstantValue(new RandomIds());
    bind(tokens.passwords).toConstantValue(new ScryptPasswordHasher(hashing));
    bind(tokens.grants).toConstantValue(new HmacGrantSigner({ secrets }));
    bind(tokens.apiKeySecrets).toConstantValue(new NodeApiKeySecrets());
    bind(tokens.sessionSecrets).toConstantValue(new NodeSessionSecrets());
  });
}
