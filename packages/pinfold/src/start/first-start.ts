import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { duration, isFault, OPERATOR, type Publication } from '@pinfold/core';
import { isError } from '@pinfold/core/internal';
import { sharedUrl } from '@pinfold/http';
import type { ComposedService } from '../compose/compose.ts';
import type { Listening } from '../compose/create-app.ts';
import { BY_THIS_NODE, DEFAULT_ACCOUNT } from '../identity.ts';
import type { Log } from '../server/log.ts';
import type { Settings } from '../settings/settings.ts';
import type { WebAddresses } from '../settings/web-addresses.ts';
import { MANAGEMENT_PATH } from './sign-in-link.ts';

/** The results of the very first start, to show once. */
export interface FirstStart {
  /** The text of the new key; absent if `PINFOLD_API_KEY` provides one. */
  readonly apiKey: string | undefined;
  /** The welcome site, if it exists. */
  readonly welcome: { readonly publication: Publication; readonly file: string } | undefined;
}

const WELCOME_KEY = 'welcome';
const WELCOME_FILE = 'welcome.zip';
const MAX_TRIES = 50;
const PAUSE = duration(200);

/**
 * Creates the welcome site and then the first key of an installation; `undefined` if that was done before. Only one
 * of several concurrent processes does it.
 *
 * If a process dies in between, the next start is a first one again, and the Idempotency-Key prevents a second
 * publication.
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

/** Catches faults and errors of files, so that the server starts even if the site cannot be published. */
async function publishWelcomeSite(composition: ComposedService, log: Log): Promise<FirstStart['welcome']> {
  try {
    // Loaded on demand, because an installation packs the site only once.
    const { packWelcomeSite } = await import('./welcome-site.ts');
    const bytes = await packWelcomeSite(composition.useCases.limits);
    const file = join(composition.dataDir, WELCOME_FILE);
    await writeFile(file, bytes, { mode: 0o600 });
    const publication = await publish(composition, log, bytes);
    return publication && { publication, file };
  } catch (error) {
    if (!isFault(error) && !(isError(error) && 'syscall' in error)) throw error;
    log.error('the welcome site could not be published', error);
    return undefined;
  }
}

/** If another process is publishing the same site, waits for its publication. */
async function publish(
  { useCases }: ComposedService,
  log: Log,
  bytes: Uint8Array,
): Promise<Publication | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const outcome = await useCases.publish({
      by: DEFAULT_ACCOUNT,
      key: WELCOME_KEY,
      filename: WELCOME_FILE,
      title: 'Welcome to Pinfold',
      archive: bytes,
      cause: BY_THIS_NODE,
    });
    if (outcome.kind !== 'refused') return outcome.publication;
    // A mismatch means that another release has published its site.
    if (outcome.code === 'idempotency_mismatch') break;
    if (outcome.code !== 'idempotency_in_progress') {
      log.warn(`the settings do not allow the welcome site (${outcome.code})`);
      return undefined;
    }
    await useCases.clock.sleep(PAUSE);
  }
  return useCases.findByKey({ by: DEFAULT_ACCOUNT, key: WELCOME_KEY });
}

type Started = Pick<Listening, 'addresses' | 'firstStart' | 'signInLink'>;

/** Formats the output of a start. After the very first start, nothing else ever shows the key. */
export function formatStartBlock(started: Started): string {
  const { addresses, firstStart, signInLink } = started;
  const { publicUrl } = addresses;
  const manage =
    signInLink === undefined
      ? `${publicUrl}${MANAGEMENT_PATH}/  ("pinfold manage" prints a link that signs in)`
      : `${signInLink}  (works once, within an hour; "pinfold manage" prints another)`;
  const welcome = firstStart?.welcome;
  const lines = [
    `Pinfold is ready at ${publicUrl}`,
    ...(firstStart === undefined ? [] : ['']),
    ...(welcome === undefined ? [] : [`Welcome site  ${sharedUrl(publicUrl, welcome.publication.id)}`]),
    `Manage        ${manage}`,
    ...formatFirstStart(started),
  ];
  return `\n${lines.join('\n')}\n\n`;
}

function formatFirstStart({ addresses, firstStart }: Started): readonly string[] {
  if (firstStart === undefined) return [];
  const { apiKey, welcome } = firstStart;
  const key =
    apiKey === undefined
      ? 'the one in PINFOLD_API_KEY  (put it in PINFOLD_KEY for the line below)'
      : `${apiKey}  (shown only now: save it)`;
  return [
    `API key       ${key}`,
    '',
    `Publish a ZIP${welcome === undefined ? '' : ' (yours instead of the welcome site)'}:`,
    formatCurlCommand(addresses.publicUrl, apiKey ?? '$PINFOLD_KEY', welcome?.file ?? 'site.zip'),
    ...safariNote(addresses),
  ];
}

/** A command for any POSIX shell, with a new Idempotency-Key on each run. */
function formatCurlCommand(publicUrl: string, apiKey: string, file: string): string {
  return [
    `curl -sS ${quoteForShell(`${publicUrl}/api/v1/pins`)}`,
    `-H "Authorization: Bearer ${apiKey}"`,
    '-H "Idempotency-Key: $(date +%s%N)"',
    `-F ${quoteForShell(`archive=@${quoteForCurl(file)};type=application/zip`)}`,
  ].join(' ');
}

function safariNote({ publicUrl, viewerMode }: WebAddresses): readonly string[] {
  const { hostname } = new URL(publicUrl);
  if (viewerMode === 'path' || !/(^|\.)localhost$/.test(hostname)) return [];
  return [
    '',
    'Safari, and scripts that follow the link, cannot find sites under localhost: for them, start with PINFOLD_VIEWER_MODE=path.',
  ];
}

function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Quotes a file name for curl, in which `;` and `,` have a meaning. */
function quoteForCurl(file: string): string {
  return /[;,"\\]/.test(file) ? `"${file.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : file;
}
