import { appendFile } from 'node:fs/promises';
import type { WireWarning } from '@pinfold/http-express/internal/problems';
import { CommandFailure, explainSystemErrors } from '../command-line/failures.ts';
import { escapeControls } from '../command-line/terminal.ts';
import type { Published } from '../publishing/publications.ts';
import { groupFindings } from '../publishing/refusal-text.ts';
import type { Environment } from '../settings/settings.ts';

/** Writes the outputs and the summary of a step of GitHub Actions to the files that its variables name. */
export async function writeStepFiles(published: Published, env: Environment): Promise<void> {
  const { GITHUB_OUTPUT, GITHUB_STEP_SUMMARY } = env;
  await explainSystemErrors(async () => {
    if (GITHUB_OUTPUT) await appendFile(GITHUB_OUTPUT, formatOutputs(published));
    if (GITHUB_STEP_SUMMARY) await appendFile(GITHUB_STEP_SUMMARY, formatSummary(published));
  }, 'cannot_write');
}

/** Throws a failure again, after adding it to the summary of the step. */
export async function rethrowWithSummary(
  error: unknown,
  { GITHUB_STEP_SUMMARY }: Environment,
): Promise<never> {
  if (GITHUB_STEP_SUMMARY && error instanceof CommandFailure)
    await appendFile(GITHUB_STEP_SUMMARY, formatFailure(error)).catch((cause: unknown) => {
      // The command reports why publishing failed, not why the summary did.
      if (!(cause instanceof Error && 'syscall' in cause)) throw cause;
    });
  throw error;
}

/** Escapes each value to one line, so that a server's answer cannot add another output. */
function formatOutputs({ pin, name, replayed }: Published): string {
  const outputs = {
    url: pin.shared_url,
    'name-url': name?.url ?? '',
    id: pin.id,
    'expires-at': pin.expires_at ?? '',
    replayed,
  };
  return Object.entries(outputs)
    .map(([output, value]) => `${output}=${escapeControls(String(value))}\n`)
    .join('');
}

function formatSummary({ pin, name, warnings }: Published): string {
  const groups = formatGroups(warnings);
  return [
    `### Published: ${escapeMarkdown(pin.title ?? pin.original_filename ?? pin.id)}\n`,
    ...(name
      ? [`- ${linkTo(name.url)} always shows the newest publication to ${escapeMarkdown(name.name)}`]
      : []),
    `- ${linkTo(pin.shared_url)} ${pin.expires_at === null ? 'does not expire' : `expires ${escapeMarkdown(pin.expires_at)}`}`,
    ...(groups.length === 0 ? [] : ['\n#### Warnings\n', ...groups]),
    '\n',
  ].join('\n');
}

/** The indented lines of the message become a list. */
function formatFailure({ message, json }: CommandFailure): string {
  const [reason = '', ...details] = message.split('\n');
  const groups = json?.code === 'warnings' ? formatGroups((json.errors ?? []) as readonly WireWarning[]) : [];
  return [
    '### Publishing failed\n',
    `${escapeMarkdown(reason)}\n`,
    ...details.map((line) => {
      const indent = line.length - line.trimStart().length;
      return `${' '.repeat(Math.max(0, indent - 2))}- ${escapeMarkdown(line.trimStart())}`;
    }),
    ...groups,
    '\n',
  ].join('\n');
}

function formatGroups(findings: readonly WireWarning[]): readonly string[] {
  return groupFindings(findings).map(
    ({ sentence, places }) =>
      `- ${escapeMarkdown(sentence)}\n${places.map((place) => `  - ${escapeMarkdown(place)}\n`).join('')}`,
  );
}

/** Escapes text from the server or the archive, so that Markdown shows it unchanged. */
function escapeMarkdown(text: string): string {
  return escapeControls(text).replaceAll(/[!-,./:-@[-`{-~]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function linkTo(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return escapeMarkdown(url);
  return `<${new URL(url).href.replaceAll(/[<>\s]/g, encodeURIComponent)}>`;
}
