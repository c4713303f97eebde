import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median, spread } from './statistics.ts';

const RESULTS = join(import.meta.dirname, '../results');

/** One row of a table: a ratio first, and the goal beside it. */
export interface Row {
  readonly what: string;
  readonly figure: number;
  /** The unit of the figure: `× express.static`, `ms`, `MiB`. */
  readonly unit: string;
  readonly goal?: { readonly atLeast: number } | { readonly atMost: number };
  /** The absolute values behind it, by candidate, one for each round. */
  readonly values?: Readonly<Record<string, readonly number[]>>;
  /** When and at which commit it was measured, if that differs from the table. */
  readonly date?: string;
  readonly commit?: string;
}

/** Works in a folder of its own, which is removed afterwards. */
export async function inTemporaryFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-bench-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Measures the parts of a table; with `--only PART` only that part, whose rows replace their earlier ones in the file. */
export async function reportParts(
  name: string,
  parts: Readonly<Record<string, () => Promise<readonly Row[]>>>,
): Promise<void> {
  const options = { only: { type: 'string' }, before: { type: 'string' } } as const;
  const { only } = parseArgs({ args: process.argv.slice(3), options }).values;
  const chosen = Object.entries(parts).filter(([part]) => only === undefined || only === part);
  if (chosen.length === 0) throw new Error(`--only ${Object.keys(parts).join('|')}`);
  const rows: Row[] = [];
  for (const [, make] of chosen) rows.push(...(await make()));
  await (only === undefined ? report(name, rows) : reportPart(name, rows));
}

/** Prints rows, and replaces their earlier ones in the file. */
export async function reportPart(name: string, rows: readonly Row[]): Promise<void> {
  const isSame = (one: Row) => (other: Row) => one.what === other.what && one.unit === other.unit;
  const others = (await earlierRows(name)).filter((row) => !rows.some(isSame(row)));
  await report(name, [...others, ...rows], {}, rows);
}

async function earlierRows(name: string): Promise<readonly Row[]> {
  const { date, commit, rows } = JSON.parse(await readFile(join(RESULTS, `${name}.json`), 'utf8'));
  return rows.map((row: Row) => ({ date, commit, ...row }));
}

/** Prints a table, or the rows of it that were measured now, for people, and writes all of it as JSON for machines. */
export async function report(
  name: string,
  rows: readonly Row[],
  more: Readonly<Record<string, unknown>> = {},
  printed: readonly Row[] = rows,
): Promise<void> {
  print(printed);
  await mkdir(RESULTS, { recursive: true });
  const about = JSON.stringify({ name, ...circumstances(), ...more });
  // One line for each, so that a diff shows the rows that were measured again.
  const lines = rows.map((row) => JSON.stringify({ ...row, met: isMet(row) })).join(',\n');
  await writeFile(join(RESULTS, `${name}.json`), `${about.slice(0, -1)},"rows":[\n${lines}\n]}\n`);
}

/** Prints a table, or a part of one, for people. */
export function print(rows: readonly Row[]): void {
  console.table(rows.map(forPeople));
}

function forPeople(row: Row): Record<string, string> {
  const medians = Object.entries(row.values ?? {}).map(
    ([name, values]) => `${name} ${short(median(values))}${about(values)}`,
  );
  return {
    what: row.what,
    figure: `${short(row.figure)} ${row.unit}`,
    goal: goalText(row),
    met: row.goal === undefined ? '' : isMet(row) ? 'yes' : 'NO',
    medians: medians.join(', '),
  };
}

/** The spread in per cent; empty for a median of 0, which has no relative spread. */
function about(values: readonly number[]): string {
  return median(values) === 0 ? '' : ` ±${Math.round(spread(values) * 100)} %`;
}

function goalText({ goal }: Row): string {
  if (goal === undefined) return '';
  return 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
}

/** Whether a row reaches its goal, if it has one. */
export function isMet({ figure, goal }: Row): boolean | undefined {
  if (goal === undefined) return undefined;
  return 'atLeast' in goal ? figure >= goal.atLeast : figure <= goal.atMost;
}

function short(value: number): string {
  if (value === 0) return '0';
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

function circumstances(): Record<string, unknown> {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  return {
    date: new Date().toISOString(),
    commit,
    node: process.version,
    machine: {
      cpu: cpus()[0]?.model,
      cores: availableParallelism(),
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      platform: `${process.platform} ${process.arch}`,
    },
  };
}
