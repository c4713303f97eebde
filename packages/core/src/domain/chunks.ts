import { hasManyMarks } from './text.ts';

/** Characters of names processed between two pauses: some milliseconds of work. */
const CHUNK_BYTES = 131_072;
const NAME_COST = 64;
/** The most marks in a row that are normalized at a time, since sorting them takes quadratic time. */
const SORTED_AT_ONCE = 64;

interface Named {
  readonly name: string;
  /** The result of {@link workOf} for the name, if it is known: counting marks takes a large part of the work itself. */
  readonly work?: number;
}

/** Splits items with names into chunks of about the same work. */
export function* chunksOf<E extends Named>(all: readonly E[]): Generator<readonly E[]> {
  let from = 0;
  let sum = 0;
  for (const [index, { name, work = workOf(name) }] of all.entries()) {
    sum += work;
    if (sum < CHUNK_BYTES) continue;
    yield all.slice(from, index + 1);
    from = index + 1;
    sum = 0;
  }
  if (from < all.length) yield all.slice(from);
}

/** How much work a name is, in characters gone through. */
export function workOf(name: string): number {
  const sorting = hasManyMarks(name) ? name.length ** 2 / SORTED_AT_ONCE : 0;
  return name.length + NAME_COST + sorting;
}

/** Does work that rests between stretches without a rest. */
export function atOnce<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
