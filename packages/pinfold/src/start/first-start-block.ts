import { sharedUrl } from '@pinfold/http';
import type { Listening } from '../compose/create-app.ts';
import type { WebAddresses } from '../settings/web-addresses.ts';
import { MANAGEMENT_PATH } from './sign-in-link.ts';

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
