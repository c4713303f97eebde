import { type PublicUrl, publicUrl } from '@pinfold/http';
import { type Command, command, valueOption } from '../command-line/command.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { formatJsonLine } from '../command-line/terminal.ts';
import type { Finding, FindingStatus } from '../doctor/finding.ts';

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

export const commands: readonly Command[] = [doctor];

function readUrl(text: string): PublicUrl {
  return publicUrl(text, (expectation) => new UsageError(`--url ${expectation}`));
}

function formatFinding({ check, status, expected, observed, advice }: Finding): readonly string[] {
  const line = `${status.padEnd(8)} ${`${check}:`.padEnd(22)} ${observed}`;
  if (advice === null) return [line];
  return [line, `         expected: ${expected}`, `         to do: ${advice}`];
}
