import { existsSync } from 'node:fs';
import { readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PublicUrl } from '@pinfold/http';
import { HmacGrantSigner, loadOrCreateSecret, RandomIds, SystemClock } from '@pinfold/platform-node';
import { openStorage } from '../compose/stores.ts';
import { type Environment, readSettings, type Settings } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { resolveWebAddresses } from '../settings/web-addresses.ts';
import type { RequestSettings } from './ask.ts';
import { checkDatabase } from './database.ts';
import { type Check, type Finding, failed, ok, runChecks, skipped, warning } from './finding.ts';
import { checkDataFolder } from './folder.ts';
import { checkFromOutsideNetwork } from './outside.ts';
import { checkStorage } from './storage.ts';

const clock = new SystemClock();
const ids = new RandomIds();

/**
 * Checks for the usual problems, in an order in which each check needs only earlier ones. It changes nothing, except
 * for a test archive that it removes. Sends requests to `url` instead of PINFOLD_PUBLIC_URL if it is given.
 */
export async function* examine(
  env: Environment,
  url?: PublicUrl,
  request: RequestSettings = {},
): AsyncGenerator<Finding> {
  const settings = readSettingsOrError(env);
  yield* runChecks([settingsCheck(settings)]);
  if (settings instanceof SettingsError) return;
  const folder = yield* checkDataFolder(settings);
  if (folder !== undefined) {
    yield* checkDatabase(settings, folder, clock);
    const storage = await openStorage(settings, folder, clock, {});
    const isEmpty = (await readdir(folder)).length === 0;
    try {
      yield* checkStorage(settings, storage, ids.archive(clock.now()));
    } finally {
      await storage.end();
      if (isEmpty) await removeEmptyFolders(folder);
    }
  }
  yield* checkFromOutside(settings, folder, url, request);
}

/** Removes the folders that the storage has made in a new data folder: a command refuses one with unknown contents. */
async function removeEmptyFolders(parent: string): Promise<void> {
  const paths = await readdir(parent, { recursive: true });
  // The inner ones first. A folder with contents stays: a server may have started since.
  for (const path of paths.toSorted().toReversed()) await rmdir(join(parent, path)).catch(() => undefined);
}

function readSettingsOrError(env: Environment): Settings | SettingsError {
  try {
    return readSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
}

function settingsCheck(settings: Settings | SettingsError): Check {
  const reference = 'docs/operators/settings.md explains every variable';
  return {
    name: 'settings',
    expected: 'every PINFOLD_ variable is known and valid',
    run: () => {
      if (settings instanceof SettingsError) return failed(settings.message, `correct it; ${reference}`);
      return settings.notes.length === 0
        ? ok('all variables are valid')
        : warning(settings.notes.join('; '), `correct or remove them; ${reference}`);
    },
  };
}

async function* checkFromOutside(
  settings: Settings,
  folder: string | undefined,
  url: PublicUrl | undefined,
  request: RequestSettings,
): AsyncGenerator<Finding> {
  const effective = url === undefined ? settings : { ...settings, publicUrl: url };
  if (effective.port === 0 && effective.publicUrl === undefined) {
    const run = () => skipped('with PINFOLD_PORT=0 only the server knows its address: give it with --url');
    yield* runChecks([{ name: 'url', expected: 'the public URL leads to Pinfold', run }]);
    return;
  }
  const addresses = resolveWebAddresses(effective, effective.port);
  let { secrets } = settings;
  // This check is reported only if the stored secret cannot be read.
  const secret: Check = {
    name: 'secret',
    expected: 'the data folder holds the secret of the server',
    run: async () => {
      secrets ??= await storedSecret(folder);
      return undefined;
    },
    advice:
      'restore the file from a backup; or remove it and start the server: viewers of protected sites then enter their passwords again',
  };
  yield* runChecks([secret]);
  const grants = secrets === undefined ? undefined : new HmacGrantSigner({ secrets });
  yield* checkFromOutsideNetwork({ settings, addresses, ids, clock, grants, request });
}

async function storedSecret(folder: string | undefined): Promise<readonly [string] | undefined> {
  if (folder === undefined) return undefined;
  const file = join(folder, 'secret');
  return existsSync(file) ? [await loadOrCreateSecret(file)] : undefined;
}
