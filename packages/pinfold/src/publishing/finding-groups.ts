import { readFinding } from '@pinfold/http/internal/texts';
import type { WireWarning } from '@pinfold/http-express/internal/problems';
import { pluralize } from '../command-line/print-list.ts';

/** Broken rules, or warnings, with the same cause. */
export interface FindingGroup {
  /** The problem and the advice, then the rule and its count in brackets. */
  readonly sentence: string;
  /** The first files, each with the text found there, then the number of further files. */
  readonly places: readonly string[];
}

/** The maximum number of findings in one answer; an answer with as many may omit others. */
const MAX_FINDINGS = 20;
const SHOWN_PLACES = 5;

/** Groups findings by cause, so that one cause in many files is one sentence. */
export function groupFindings(findings: readonly WireWarning[]): readonly FindingGroup[] {
  const atLeast = findings.length < MAX_FINDINGS ? '' : 'at least ';
  const all = findings.map((finding) => ({ ...finding, ...readFinding(finding.detail) }));
  return [...Map.groupBy(all, ({ rule, sentences }) => `${rule} ${sentences}`).values()].flatMap((group) => {
    const [{ rule, sentences }] = group as [(typeof all)[number]];
    const places = formatPlaces(group);
    const more = places.length - SHOWN_PLACES;
    const count = group.length > 1 ? `, ${atLeast}${group.length}` : '';
    return {
      sentence: `${sentences} (${rule}${count})`,
      places: [...places.slice(0, SHOWN_PLACES), ...(more > 0 ? [`and ${more} more`] : [])],
    };
  });
}

interface Place {
  readonly path?: string;
  /** The text found there. */
  readonly seen?: string;
}

/** Formats places. Files in which the same text was found share one place. */
function formatPlaces(group: readonly Place[]): readonly string[] {
  const byText = Map.groupBy(group, (place) => place.seen);
  return [...byText].flatMap(([text, places]) => {
    const paths = [...new Set(places.flatMap(({ path }) => path ?? []))];
    if (text === undefined) return paths;
    const [path, ...others] = paths;
    if (path === undefined) return text;
    return others.length === 0 ? `${path}: ${text}` : `${pluralize(paths.length, 'file')}: ${text}`;
  });
}
