import type { Mode } from '@pinfold/core';
import { type PublicUrl, publicUrl } from '@pinfold/http';
import { serviceOf } from '@pinfold/http-express/internal';
import { readOperatorText } from '../command-line/arguments.ts';
import { type Command, command, valueOption } from '../command-line/command.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { formatJsonLine } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import type { Finding, FindingStatus } from '../doctor/finding.ts';
import { operatorCause } from '../identity.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';

const serve = command({
  name: 'serve',
  json: false,
  help: 'run the server until SIGTERM; its settings are environment variables',
  example: 'PINFOLD_PORT=9000 pinfold serve',
  guide: 'running.md',
  run: async (_, __, { env, err }) => {
    let settings: Settings;
    try {
      settings = readSettings(env);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      err(`pinfold: ${error.message}`);
      return 2;
    }
    const [{ createRunnableApp }, { runUntilStopped }] = await Promise.all([
      import('../compose/create-app.ts'),
      import('../start/run-until-stopped.ts'),
    ]);
    return runUntilStopped(async () => createRunnableApp(settings));
  },
});

const migrate = command({
  name: 'migrate',
  help: 'migrate the database to this release, as every command that opens it does',
  example: 'pinfold migrate',
  guide: 'upgrades.md',
  run: async (_, __, terminal) => {
    await withComposition(terminal, async () => undefined);
    return { json: { migrated: true }, text: 'The database is up to date.' };
  },
});

const mode = command({
  name: 'mode',
  arguments: ['[MODE]'],
  options: {
    message: valueOption('TEXT', 'shown to everyone who tries to change something'),
  },
  help: 'show the mode, or set it: normal, or read_only during maintenance',
  example: 'pinfold mode read_only --message "Back at noon"',
  guide: 'administration.md#make-it-read-only',
  run: async ([modeText], values, terminal) => {
    const kind = modeText === undefined ? undefined : readMode(modeText);
    const message = readMessage(values.message, kind);
    const current = await withComposition(terminal, ({ administration }) =>
      kind === undefined
        ? administration.showService()
        : administration.changeService({ kind, message }, operatorCause()),
    );
    const text = current.message === null ? current.kind : `${current.kind}: ${current.message}`;
    return { json: { service: serviceOf(current) }, text };
  },
});

const BAD: readonly FindingStatus[] = ['failed', 'warning'];

const doctor = command({
  name: 'doctor',
  options: {
    url: valueOption('URL', 'the address to check instead of PINFOLD_PUBLIC_URL'),
  },
  help: 'check the settings, the machine, the stores and the proxy, and print what to do',
  example: 'pinfold doctor --url https://share.example',
  guide: 'doctor.md',
  run: async (_, { json, ...values }, terminal) => {
    const url = values.url === undefined ? undefined : readUrl(values.url);
    const { examine } = await import('../doctor/examine.ts');
    const checks: Finding[] = [];
    for await (const finding of examine(terminal.env, url)) {
      checks.push(finding);
      if (!json) for (const line of formatFinding(finding)) terminal.out(line);
    }
    const status = BAD.find((bad) => checks.some((finding) => finding.status === bad)) ?? 'ok';
    if (json) terminal.out(formatJsonLine({ status, checks }));
    const failed = checks.filter((finding) => finding.status === 'failed').length;
    if (failed > 0)
      throw new CommandFailure(`${failed} of ${checks.length} checks failed`, { reported: true });
  },
});

export const commands: readonly Command[] = [serve, migrate, mode, doctor];

function readMode(text: string): Mode['kind'] {
  if (text === 'normal' || text === 'read_only') return text;
  if (text === 'readonly' || text === 'read-only') return 'read_only';
  throw new UsageError('MODE must be normal or read_only');
}

function readMessage(text: string | undefined, kind: Mode['kind'] | undefined): string | null {
  if (text === undefined) return null;
  if (kind !== 'read_only') throw new UsageError('--message needs the mode read_only');
  return readOperatorText(text, '--message');
}

function readUrl(text: string): PublicUrl {
  return publicUrl(text, (expectation) => new UsageError(`--url ${expectation}`));
}

function formatFinding({ check, status, expected, observed, advice }: Finding): readonly string[] {
  const line = `${status.padEnd(8)} ${`${check}:`.padEnd(22)} ${observed}`;
  if (advice === null) return [line];
  return [line, `         expected: ${expected}`, `         to do: ${advice}`];
}
