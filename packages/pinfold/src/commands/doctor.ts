import { type PublicUrl, publicUrl } from '@pinfold/http';
import { readArguments } from '../command-line/arguments.ts';
import { jsonLine } from '../command-line/escape-control-characters.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { OPTIONS } from '../command-line/options.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { examine } from '../doctor/examine.ts';
import type { Finding, FindingStatus } from '../doctor/finding.ts';

/** The worst of them first. */
const WORST: readonly FindingStatus[] = ['failed', 'warning'];

/** `pinfold doctor` */
export async function doctor(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = readArguments(args, [], OPTIONS.doctor);
  const url = values.url === undefined ? undefined : readUrl(values.url);
  const findings: Finding[] = [];
  for await (const finding of examine(terminal.env, url)) {
    findings.push(finding);
    if (!values.json) for (const line of linesOf(finding)) terminal.out(line);
  }
  const status = WORST.find((worse) => findings.some((finding) => finding.status === worse)) ?? 'ok';
  if (values.json) terminal.out(jsonLine({ status, checks: findings }));
  const failed = findings.filter((finding) => finding.status === 'failed');
  if (failed.length > 0) throw new CommandFailure(`${failed.length} of ${findings.length} checks failed`);
}

function readUrl(text: string): PublicUrl {
  return publicUrl(text, (expectation) => new UsageError(`--url ${expectation}`));
}

function linesOf({ check, status, tried, came, advice }: Finding): readonly string[] {
  const told = `${status.padEnd(8)} ${check.padEnd(21)} ${came}`;
  if (advice === null) return [told];
  return [told, `         tried: ${tried}`, `         do: ${advice}`];
}
