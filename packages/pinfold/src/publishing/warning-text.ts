import { LEADS_OUT, type WireWarning } from '@pinfold/http-express/internal';
import { pluralize } from '../command-line/pluralize.ts';

export interface WarningGroup {
  readonly sentence: string;
  /** The file in which it was found; empty if the sentence names it. */
  readonly places: readonly string[];
}

/** For two warnings or more, after their number. ADVICE: that of the server. */
const SENTENCES: Readonly<Record<string, string>> = {
  absolute_reference: 'references in FILES begin with "/" and lead out of the site here. ADVICE',
  broken_reference:
    'references in FILES lead to no file of the site: add the files, or correct the references',
  case_mismatch:
    "references in FILES differ from a file's name in upper and lower case: write them as the files are named",
  source_map: 'source maps show your source code to anyone with the link: build without them',
  possible_secret: 'possible secrets in FILES: if they are real, stop the publication and revoke them',
  service_worker:
    'scripts register a service worker, which this server refuses: the site must work without one',
  needs_origin:
    'features in FILES may not work here, since this service shows sites without an origin of their own',
  needs_referrer:
    'embeds in FILES want to know which site embeds them, and browsers do not say so here: add referrerpolicy="strict-origin-when-cross-origin" to each <iframe>',
  unused_server_file:
    'files configure another server and have no effect here: remove them, since anyone with the link can read them',
};

/** The places of these are not enough without the server's words. */
const WORDED: readonly string[] = ['broken_reference', 'case_mismatch', 'needs_origin', 'possible_secret'];

/** An answer has no more warnings; with as many there may be others. */
const MOST_WARNINGS = 20;
const SHOWN_PLACES = 5;

export function warningGroups(warnings: readonly WireWarning[]): readonly WarningGroup[] {
  const atLeast = warnings.length < MOST_WARNINGS ? '' : 'at least ';
  return [...Map.groupBy(warnings, ({ rule }) => rule)].flatMap(([rule, own]) => {
    const sentence = own.length > 1 && Object.hasOwn(SENTENCES, rule) ? SENTENCES[rule] : undefined;
    if (sentence === undefined) return own.map((warning) => ({ sentence: warningText(warning), places: [] }));
    const files = pluralize(new Set(own.map(({ path }) => path)).size, 'file');
    const isWorded = WORDED.includes(rule);
    const places = [...new Set(own.map(({ path, detail }) => (isWorded ? `${path}: ${detail}` : `${path}`)))];
    const more = places.length - SHOWN_PLACES;
    return {
      sentence: `${atLeast}${own.length} ${sentence.replace('FILES', files).replace('ADVICE', () => adviceOf(own))} (${rule})`,
      places: [...places.slice(0, SHOWN_PLACES), ...(more > 0 ? [`and ${more} more`] : [])],
    };
  });
}

/** All references of a site that lead out of it have the same advice; an older server gives none. */
function adviceOf([warning]: readonly WireWarning[]): string {
  const [, advice] = warning?.detail.split(`${LEADS_OUT} `).slice(-2) ?? [];
  return advice ?? 'Make them relative.';
}

export function warningText({ rule, detail, path }: WireWarning): string {
  return `${path === undefined ? '' : `${path}: `}${detail} (${rule})`;
}
