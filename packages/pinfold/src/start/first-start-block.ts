import { sharedUrl } from '@pinfold/http';
import type { WebAddresses } from '../settings/web-addresses.ts';
import type { FirstStart, Untouched } from './first-start.ts';
import { MANAGEMENT_PATH } from './sign-in-link.ts';

/** What is printed after the very first start. It is the only place that ever shows the key. */
export function firstStartBlock(
  { apiKey, welcome }: FirstStart,
  addresses: WebAddresses,
  signInLink: string | undefined,
): string {
  const { publicUrl } = addresses;
  const shown =
    apiKey === undefined
      ? 'the one in PINFOLD_API_KEY  (put it in PINFOLD_KEY for the line below)'
      : `${apiKey}  (shown only now: keep it)`;
  const lines = [
    `Pinfold is ready at ${publicUrl}`,
    '',
    ...(welcome === undefined ? [] : [`Welcome site  ${sharedUrl(publicUrl, welcome.publication.id)}`]),
    manageLine(addresses, signInLink),
    `API key       ${shown}`,
    '',
    `Publish a ZIP${welcome === undefined ? '' : ' (yours in the place of the welcome site)'}:`,
    curlLine(publicUrl, apiKey ?? '$PINFOLD_KEY', welcome?.file ?? 'site.zip'),
    ...safariNote(addresses),
  ];
  return `\n${lines.join('\n')}\n\n`;
}

/** The output of every later start; before the first publication also how to begin. */
export function startBlock(
  untouched: Untouched | undefined,
  addresses: WebAddresses,
  signInLink: string | undefined,
): string {
  const { publicUrl } = addresses;
  const lines = [
    `Pinfold is ready at ${publicUrl}`,
    manageLine(addresses, signInLink),
    ...(untouched === undefined ? [] : howToBegin(untouched, addresses)),
  ];
  return `\n${lines.join('\n')}\n\n`;
}

function manageLine({ publicUrl }: WebAddresses, signInLink: string | undefined): string {
  return signInLink === undefined
    ? `Manage        ${publicUrl}${MANAGEMENT_PATH}/  ("pinfold manage" prints a link that signs in)`
    : `Manage        ${signInLink}  (good once, within the hour; "pinfold manage" prints another)`;
}

function howToBegin({ key }: Untouched, addresses: WebAddresses): readonly string[] {
  if (key === undefined) return ['API key       none that publishes ("pinfold keys create" makes one)'];
  return [
    `API key       pf_${key}_…  (shown when it was made; put it in PINFOLD_KEY for the line below)`,
    '',
    'Publish a ZIP:',
    curlLine(addresses.publicUrl, '$PINFOLD_KEY', 'site.zip'),
    ...safariNote(addresses),
  ];
}

/** A line for any POSIX shell, with a new Idempotency-Key each time it is run. */
function curlLine(publicUrl: string, apiKey: string, file: string): string {
  return [
    `curl -sS ${shellQuoted(`${publicUrl}/api/v1/pins`)}`,
    `-H "Authorization: Bearer ${apiKey}"`,
    '-H "Idempotency-Key: $(date +%s%N)"',
    `-F ${shellQuoted(`archive=@${curlQuoted(file)};type=application/zip`)}`,
  ].join(' ');
}

function safariNote({ publicUrl, viewerMode }: WebAddresses): readonly string[] {
  const { hostname } = new URL(publicUrl);
  if (viewerMode === 'path' || !/(^|\.)localhost$/.test(hostname)) return [];
  return [
    '',
    'Safari, and scripts that follow the link, find no site under localhost: start with PINFOLD_VIEWER_MODE=path for them.',
  ];
}

function shellQuoted(text: string): string {
  return /^[\w@%+=:,./;-]+$/.test(text) && !text.includes(';') ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** curl reads `;` and `,` in a file's name as its own signs, unless the name is in quotes. */
function curlQuoted(file: string): string {
  return /[;,"\\]/.test(file) ? `"${file.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : file;
}
