import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PublicUrl } from '@pinfold/http';
import { HmacGrantSigner, loadOrCreateSecret, RandomIds, SystemClock } from '@pinfold/platform-node';
import { storageOf } from '../compose/storage.ts';
import { type Environment, readSettings, type Settings } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { type WebAddresses, webAddresses } from '../settings/web-addresses.ts';
import { databaseFindings } from './database.ts';
import { saidOf } from './error-text.ts';
import { type Finding, trying } from './finding.ts';
import { folderFindings } from './folder.ts';
import type { Way } from './outside/ask.ts';
import { outsideFindings } from './outside/outside.ts';
import { signInFinding } from './sign-in.ts';
import { type Stores, storageFindings } from './storage.ts';

const clock = new SystemClock();
const ids = new RandomIds();

/**
 * Tries what goes wrong in practice, in an order in which each check needs only those before it. It changes nothing
 * but an archive of its own, which it removes.
 *
 * @param url what to ask in the place of PINFOLD_PUBLIC_URL.
 */
export async function* examine(env: Environment, url?: PublicUrl, way: Way = {}): AsyncGenerator<Finding> {
  const reading = trying('settings', 'read the PINFOLD_ variables');
  let settings: Settings;
  try {
    settings = readSettings(env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    yield reading.failed(error.message, 'set it so; docs/operators/settings.md has every variable');
    return;
  }
  yield settings.notes.length === 0
    ? reading.ok('they fit one another')
    : reading.warning(
        settings.notes.join('; '),
        'set what is meant; docs/operators/settings.md has every variable',
      );
  const folder = yield* folderFindings(settings);
  if (folder !== undefined) {
    yield* databaseFindings(settings, folder, clock);
    yield* withStores(settings, folder);
  }
  yield await signInFinding(settings, way);
  yield* fromOutside(settings, folder, url, way);
}

async function* withStores(settings: Settings, folder: string): AsyncGenerator<Finding> {
  const storage = await storageOf(settings, folder, clock);
  const stores = async (): Promise<Stores> => ({
    archives: await storage.archives(),
    staging: await storage.staging(),
    ids,
    clock,
  });
  try {
    yield* storageFindings(settings, stores);
  } finally {
    await storage.end();
  }
}

async function* fromOutside(
  settings: Settings,
  folder: string | undefined,
  url: PublicUrl | undefined,
  way: Way,
): AsyncGenerator<Finding> {
  const addresses = addressesOf(settings, url);
  if (addresses === undefined) {
    yield trying('url', 'ask the public URL').skipped(
      'with PINFOLD_PORT=0 only the server knows its address: name it with --url',
    );
    return;
  }
  let secrets = settings.secrets;
  try {
    secrets ??= await keptSecret(folder);
  } catch (error) {
    yield trying('secret', 'read the secret that is kept in the data folder').failed(
      saidOf(error),
      'put back the one of a backup, or remove the file and start the server: viewers of protected sites then enter their passwords again',
    );
  }
  const grants = secrets === undefined ? undefined : new HmacGrantSigner({ secrets });
  yield* outsideFindings({ settings, addresses, ids, clock, grants, way });
}

function addressesOf(settings: Settings, url: PublicUrl | undefined): WebAddresses | undefined {
  if (url !== undefined) return webAddresses({ ...settings, publicUrl: url }, settings.port);
  if (settings.port === 0 && settings.publicUrl === undefined) return undefined;
  return webAddresses(settings, settings.port);
}

/** None is made here. */
async function keptSecret(folder: string | undefined): Promise<readonly [string] | undefined> {
  if (folder === undefined) return undefined;
  const file = join(folder, 'secret');
  return existsSync(file) ? [await loadOrCreateSecret(file)] : undefined;
}
