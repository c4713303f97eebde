import { readFinding } from '@pinfold/http/internal/texts';
import type { WireWarning } from '@pinfold/http-express/internal/problems';
import { pluralize } from '../command-line/print-list.ts';

/** The broken rules or the warnings of one cause. */
export interface FindingGroup {
  /** What is wrong, what to do, and in brackets the rule and how often. */
  readonly sentence: string;
  /** The first files, each with what was seen there, and how many more there are. */
  readonly places: readonly string[];
}

/** An answer has no more of them; with as many there may be others. */
const MAX_FINDINGS = 20;
const SHOWN_PLACES = 5;

/** One group for each cause, however many files it concerns. */
export function groupFindings(findings: readonly WireWarning[]): readonly FindingGroup[] {
  const atLeast = findings.length < MAX_FINDINGS ? '' : 'at least ';
  const read = findings.map((finding) => ({ ...finding, ...readFinding(finding.detail) }));
  return [...Map.groupBy(read, ({ rule, sentences }) => `${rule} ${sentences}`).values()].flatMap((own) => {
    const [{ rule, sentences }] = own as [(typeof read)[number]];
    const places = placesOf(own);
    const more = places.length - SHOWN_PLACES;
    const count = own.length > 1 ? `, ${atLeast}${own.length}` : '';
    return {
      sentence: `${sentences} (${rule}${count})`,
      places: [...places.slice(0, SHOWN_PLACES), ...(more > 0 ? [`and ${more} more`] : [])],
    };
  });
}

interface Place {
  readonly path?: string;
  readonly seen?: string;
}

/** What was seen in several files is one place. */
function placesOf(own: readonly Place[]): readonly string[] {
  const seen = Map.groupBy(own, (place) => place.seen);
  return [...seen].flatMap(([what, places]) => {
    const paths = [...new Set(places.flatMap(({ path }) => path ?? []))];
    if (what === undefined) return paths;
    const [path, ...others] = paths;
    if (path === undefined) return what;
    return others.length === 0 ? `${path}: ${what}` : `${pluralize(paths.length, 'file')}: ${what}`;
  });
}
