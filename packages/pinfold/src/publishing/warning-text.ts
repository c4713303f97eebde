import { pluralize } from '../command-line/pluralize.ts';
import type { WireWarning } from './publication.ts';

/** Warnings of one cause. */
export interface WarningGroup {
  /** The finding, and what to do about it. */
  readonly sentence: string;
  /** Where it was found; empty when the sentence says so. */
  readonly places: readonly string[];
}

interface Cause {
  /** For two warnings or more. */
  readonly sentence: (count: string, files: string) => string;
  /** Whether the places are not enough without the server's words. */
  readonly worded?: true;
}

const CAUSES: Readonly<Record<string, Cause>> = {
  absolute_reference: {
    sentence: (count, files) =>
      `${count} references in ${files} begin with "/" and lead out of the site: rebuild with \`vite build --base ./\`, or make them relative`,
  },
  broken_reference: {
    sentence: (count, files) =>
      `${count} references in ${files} lead to no file of the site: add the files, or correct the references`,
    worded: true,
  },
  case_mismatch: {
    sentence: (count, files) =>
      `${count} references in ${files} differ from a file's name in upper and lower case: write them as the files are named`,
    worded: true,
  },
  source_map: {
    sentence: (count) =>
      `${count} source maps show your source code to anyone with the link: build without them`,
  },
  possible_secret: {
    sentence: (count, files) =>
      `${count} possible secrets in ${files}: if they are real, stop the publication and revoke them`,
    worded: true,
  },
  service_worker: {
    sentence: (count) =>
      `${count} scripts register a service worker, which this server refuses: the site must work without one`,
  },
  unused_server_file: {
    sentence: (count) =>
      `${count} files configure another server and have no effect here: remove them, since anyone with the link can read them`,
  },
};

/** An answer has no more warnings; with as many there may be others. */
const MOST_WARNINGS = 20;
const SHOWN_PLACES = 5;

/** Warnings grouped by their cause, in the order of the first of each. */
export function warningGroups(warnings: readonly WireWarning[]): readonly WarningGroup[] {
  const atLeast = warnings.length < MOST_WARNINGS ? '' : 'at least ';
  return [...Map.groupBy(warnings, ({ rule }) => rule)].flatMap(([rule, own]) => {
    const cause = own.length > 1 && Object.hasOwn(CAUSES, rule) ? CAUSES[rule] : undefined;
    if (cause === undefined) return own.map(alone);
    const files = pluralize(new Set(own.map(({ path }) => path)).size, 'file');
    const places = [
      ...new Set(own.map(({ path, detail }) => (cause.worded ? `${path}: ${detail}` : `${path}`))),
    ];
    const more = places.length - SHOWN_PLACES;
    return {
      sentence: `${cause.sentence(`${atLeast}${own.length}`, files)} (${rule})`,
      places: [...places.slice(0, SHOWN_PLACES), ...(more > 0 ? [`and ${more} more`] : [])],
    };
  });
}

function alone({ rule, detail, path }: WireWarning): WarningGroup {
  return { sentence: `${path === undefined ? '' : `${path}: `}${detail} (${rule})`, places: [] };
}
