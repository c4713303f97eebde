import type { Finding } from '../../src/doctor/finding.ts';

/** All findings by the name of their check. */
export async function findingsOf(
  findings: AsyncIterable<Finding>,
): Promise<Readonly<Record<string, Finding>>> {
  const found: Record<string, Finding> = {};
  for await (const finding of findings) found[finding.check] = finding;
  return found;
}

/** The checks that failed or warned. */
export function listProblems(found: Readonly<Record<string, Finding>>): readonly string[] {
  return Object.values(found)
    .filter(({ status }) => status === 'failed' || status === 'warning')
    .map(({ check, status }) => `${check} ${status}`);
}
