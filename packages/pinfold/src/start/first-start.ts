import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { duration, isFault, OPERATOR, type Publication } from '@pinfold/core';
import type { ComposedService } from '../compose/compose.ts';
import { BY_THIS_NODE } from '../identity.ts';
import type { Log } from '../server/log.ts';
import type { Settings } from '../settings/settings.ts';
import { DEFAULT_ACCOUNT } from './default-account.ts';

/** The results of the very first start, to be shown once. */
export interface FirstStart {
  /** The text of the key that was made; absent when `PINFOLD_API_KEY` gave one. */
  readonly apiKey: string | undefined;
  /** The welcome site, if it exists. */
  readonly welcome: { readonly publication: Publication; readonly file: string } | undefined;
}

const WELCOME_KEY = 'welcome';
const WELCOME_FILE = 'welcome.zip';
const TIMEOUTS = 50;
const PAUSE = duration(200);

/**
 * Makes the first key and the welcome site of an installation; `undefined` when that was done before. Of many
 * processes at once only one does it.
 *
 * The site comes before the key: a process that dies in between leaves the next start a first one, and the
 * Idempotency-Key keeps the site from being published twice.
 */
export async function makeFirstStart(
  composition: ComposedService,
  log: Log,
  { apiKey, welcome }: Pick<Settings, 'apiKey' | 'welcome'>,
): Promise<FirstStart | undefined> {
  const { manageKeys } = composition;
  const isFirst = !(await hasKeys(composition));
  const published = welcome && isFirst ? await publishWelcomeSite(composition, log) : undefined;
  const request = { account: DEFAULT_ACCOUNT, label: 'first start', cause: BY_THIS_NODE };
  const first = isFirst ? await manageKeys.createFirst(request, apiKey) : undefined;
  if (apiKey !== undefined && first === undefined) await ensureKey(composition, log, apiKey);
  if (first === undefined) return undefined;
  return { apiKey: apiKey === undefined ? first.text : undefined, welcome: published };
}

async function hasKeys({ manageKeys }: ComposedService): Promise<boolean> {
  const listed = await manageKeys.list({ by: OPERATOR, limit: 1 });
  return listed.kind === 'page' && listed.keys.length > 0;
}

async function ensureKey({ manageKeys }: ComposedService, log: Log, apiKey: string): Promise<void> {
  await manageKeys.ensure(apiKey, {
    account: DEFAULT_ACCOUNT,
    label: 'PINFOLD_API_KEY',
    cause: BY_THIS_NODE,
  });
  if ((await manageKeys.authenticate(apiKey)) === undefined) {
    log.warn(
      'PINFOLD_API_KEY names a key that is revoked or has another secret: requests with it are refused',
    );
  }
}

/** A site that cannot be published must not keep the server from starting. */
async function publishWelcomeSite(composition: ComposedService, log: Log): Promise<FirstStart['welcome']> {
  try {
    // Packing is needed once in the life of an installation, and not loaded by any other start.
    const { packWelcomeSite } = await import('./welcome-site.ts');
    const bytes = await packWelcomeSite(composition.useCases.limits);
    const file = join(composition.dataDir, WELCOME_FILE);
    await writeFile(file, bytes, { mode: 0o600 });
    const publication = await publish(composition, log, bytes);
    return publication && { publication, file };
  } catch (error) {
    if (!isFault(error)) throw error;
    log.error('the welcome site could not be published', error);
    return undefined;
  }
}

/** Another process may be publishing the same site at this moment; then its publication is waited for. */
async function publish(
  { useCases }: ComposedService,
  log: Log,
  bytes: Uint8Array,
): Promise<Publication | undefined> {
  for (let tries = 0; tries < TIMEOUTS; tries += 1) {
    const outcome = await useCases.publish({
      by: DEFAULT_ACCOUNT,
      key: WELCOME_KEY,
      filename: WELCOME_FILE,
      title: 'Welcome to Pinfold',
      archive: bytes,
      cause: BY_THIS_NODE,
    });
    if (outcome.kind !== 'refused') return outcome.publication;
    // A mismatch is the site of another release.
    if (outcome.code === 'idempotency_mismatch') break;
    if (outcome.code !== 'idempotency_in_progress') {
      log.warn(`the settings let no welcome site be published (${outcome.code})`);
      return undefined;
    }
    await useCases.clock.sleep(PAUSE);
  }
  return useCases.findByKey({ by: DEFAULT_ACCOUNT, key: WELCOME_KEY });
}
