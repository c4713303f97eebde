import type { Persistence } from '@pinfold/core/adapter';
import type { Telemetry } from '@pinfold/opentelemetry';
import { ContainerModule, type ServiceIdentifier } from 'inversify';
import { tokens } from './tokens.ts';

/** The stores of the database: it does not compile when one is missing. */
const DATABASE = {
  roles: tokens.roles,
  accounts: tokens.accounts,
  attempts: tokens.attempts,
  apiKeys: tokens.apiKeys,
  sessions: tokens.sessions,
  history: tokens.history,
  mode: tokens.mode,
  takedowns: tokens.takedowns,
  views: tokens.views,
  pairings: tokens.pairings,
  snapshot: tokens.snapshot,
  imports: tokens.imports,
} satisfies Record<Exclude<keyof Persistence, 'migrate' | 'check' | 'close'>, ServiceIdentifier<object>>;

/** What archives go through. */
const STORAGE = { archives: tokens.archives, staging: tokens.staging, inspector: tokens.inspector } as const;

/**
 * Has the calls of all stores measured, and shown in the spans of the requests that make them. Loaded after the modules
 * that bind the stores.
 *
 * @example
 * import { opentelemetryModule } from '@pinfold/inversify/opentelemetry';
 * import { createTelemetry } from '@pinfold/opentelemetry';
 * import { openPinfold } from 'pinfold';
 *
 * const telemetry = createTelemetry({ database: 'sqlite' });
 * const modules = [opentelemetryModule(telemetry)];
 * const pinfold = await openPinfold({ dataDir: './data', publicUrl: 'http://localhost:8080', modules });
 * await pinfold.close();
 */
export function opentelemetryModule(telemetry: Pick<Telemetry, 'database' | 'storage'>): ContainerModule {
  return new ContainerModule(({ onActivation }) => {
    for (const [name, token] of Object.entries(DATABASE)) {
      onActivation<object>(token, (_context, store) => telemetry.database(snakeCase(name), store));
    }
    for (const [name, token] of Object.entries(STORAGE)) {
      onActivation<object>(token, (_context, store) => telemetry.storage(name, store));
    }
  });
}

/** As tables and columns are named. */
function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
