import type { Row } from './report.ts';

const ROUNDS = 7;

/** The middle value, which a single bad round does not change. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/**
 * The median over the rounds of the quotient of two candidates, or of the result of `compare`: noise that lasts some
 * seconds affects both of a round.
 */
export function compared(
  over: readonly number[] = [],
  under: readonly number[] = [],
  compare = (one: number, other: number): number => one / other,
): number {
  return median(over.map((value, round) => compare(value, under[round] ?? Number.NaN)));
}

/** Half the distance between the smallest and the greatest value, as a part of the median. */
export function spread(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / 2 / median(values);
}

/**
 * Measures every candidate in each round, in alternating order, so that other work of the machine affects all alike.
 * Returns the values of each, in order of rounds.
 */
export async function inRounds<Name extends string>(
  candidates: Readonly<Record<Name, () => Promise<number>>>,
  count: number,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(candidates) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < count; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      values[name].push(await candidates[name]());
    }
    process.stderr.write(`round ${round + 1} of ${count}\n`);
  }
  return values;
}

/** A row that compares the first of two candidates with the other; each is warmed up once. */
export async function comparedRow(
  row: Pick<Row, 'what' | 'unit' | 'goal'>,
  candidates: Readonly<Record<string, () => Promise<number>>>,
  rounds = ROUNDS,
): Promise<Row> {
  for (const warm of Object.values(candidates)) await warm();
  const values = await inRounds(candidates, rounds);
  const [first = [], second = []] = Object.values(values);
  return { ...row, figure: compared(first, second), values };
}
