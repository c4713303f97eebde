import { parseWeighted } from './weighted-list.ts';

const KNOWN_AT_MOST = 256;
const known = new Map<string, boolean>();

/**
 * Whether gzip suits the client at least as well as no coding (RFC 9110, section 12.5.3). What clients send is few
 * strings, so the answers are kept.
 */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false;
  const answer = known.get(header);
  if (answer !== undefined) return answer;
  if (known.size >= KNOWN_AT_MOST) known.clear();
  const accepted = prefersGzip(header);
  known.set(header, accepted);
  return accepted;
}

function prefersGzip(header: string): boolean {
  const codings = parseWeighted(header);
  const weightOf = (...names: string[]): number | undefined =>
    codings.find(({ value }) => names.includes(value))?.weight;
  const gzip = weightOf('gzip', 'x-gzip') ?? weightOf('*') ?? 0;
  return gzip > 0 && gzip >= (weightOf('identity') ?? 0);
}
