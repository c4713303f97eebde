import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { keepTo, LOAD_CORE } from '../lib/processes.ts';
import { print, type Row, report, reportPart } from '../lib/report.ts';
import { median } from '../lib/statistics.ts';
import { untakenBodies } from './hostile-bodies.ts';
import { returningBrowsers } from './hostile-callbacks.ts';
import { manyEntries } from './hostile-entries.ts';
import { manyKeys } from './hostile-keys.ts';
import { type Finding, type HostileLoad, measureOnce } from './hostile-load.ts';
import { slowNames } from './hostile-names.ts';
import { costlyPages } from './hostile-pages.ts';
import { pipelinedRanges } from './hostile-ranges.ts';
import { deepReferences } from './hostile-references.ts';
import { unreadStreams } from './hostile-streams.ts';
import { unreadPipelines } from './hostile-unread.ts';
import { drippingUploads, heldUploads } from './hostile-uploads.ts';

const THIS = join(import.meta.dirname, '../..');
/** A load that took longer than this once, in milliseconds, is not repeated. */
const LONG = 100_000;

const loads: Readonly<Record<string, HostileLoad>> = {
  ranges: pipelinedRanges,
  'bodies-of-4': untakenBodies(4),
  'bodies-of-980': untakenBodies(980),
  references: deepReferences(false),
  'padded-references': deepReferences(true),
  names: slowNames,
  entries: manyEntries,
  uploads: heldUploads,
  callbacks: returningBrowsers,
  drip: drippingUploads,
  unread: unreadPipelines,
  streams: unreadStreams,
  pages: costlyPages,
  keys: manyKeys,
};

/**
 * Measures the cost of cheap requests for the server and others. `--before FOLDER` puts another checkout, installed, under the
 * same loads in the same run; `--only LOAD` makes one of them, whose rows replace their earlier ones in the file.
 */
export async function run(words: readonly string[] = process.argv.slice(3)): Promise<void> {
  const { before, only } = parseArgs({
    args: [...words],
    options: { before: { type: 'string' }, only: { type: 'string' } },
  }).values;
  const checkouts = { now: THIS, ...(before === undefined ? {} : { before }) };
  keepTo(LOAD_CORE);
  const rows: Row[] = [];
  for (const [name, load] of Object.entries(loads)) {
    if (only === undefined || only === name) rows.push(...(await rowsOf(name, load, checkouts)));
  }
  if (before === undefined)
    await (only === undefined ? report('hostile', rows) : reportPart('hostile', rows));
  else if (only === undefined) await report('hostile', rows, { before: commitOf(before) });
  else print(rows);
}

async function rowsOf(
  name: string,
  load: HostileLoad,
  checkouts: Readonly<Record<string, string>>,
): Promise<readonly Row[]> {
  const found: Record<string, (readonly Finding[])[]> = {};
  const tooLong = new Set<string>();
  for (let round = 0; round < load.rounds; round += 1) {
    for (const [candidate, checkout] of Object.entries(checkouts)) {
      if (tooLong.has(candidate)) continue;
      const start = performance.now();
      found[candidate] = [...(found[candidate] ?? []), await measureOnce(load, checkout)];
      if (performance.now() - start > LONG) tooLong.add(candidate);
    }
    process.stderr.write(`${name}: round ${round + 1} of ${load.rounds}\n`);
  }
  return (found.now?.[0] ?? []).map((finding, index) => {
    const values = Object.fromEntries(
      Object.entries(found).map(([candidate, rounds]) => [
        candidate,
        rounds.map((findings) => findings[index]?.figure ?? Number.NaN),
      ]),
    );
    return { ...finding, figure: median(values.now ?? []), values };
  });
}

function commitOf(checkout: string): string {
  return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: checkout, encoding: 'utf8' }).trim();
}
