import type { Finding } from '../../src/doctor/finding.ts';

/** All findings by the names of their checks. */
export async function findingsOf(
  findings: AsyncIterable<Finding>,
): Promise<Readonly<Record<string, Finding>>> {
  const found: Record<string, Finding> = {};
  for await (const finding of findings) found[finding.check] = finding;
  return found;
}

/** The checks that did not come out well. */
export function troubles(found: Readonly<Record<string, Finding>>): readonly string[] {
  return Object.values(found)
    .filter(({ status }) => status === 'failed' || status === 'warning')
    .map(({ check, status }) => `${check} ${status}`);
}
