import { hasManyMarks } from './text.ts';

/** Characters of names that are gone through between two rests: some milliseconds of work. */
const STRETCH = 131_072;
/** What a name costs beside its characters. */
const NAME_COST = 64;
/** Many marks in a row are sorted in time with the square of their number, so many at a time. */
const SORTED_AT_ONCE = 64;

/** Things with names, in stretches of about the same work. */
export function* stretchesOf<E extends { readonly name: string }>(
  all: readonly E[],
): Generator<readonly E[]> {
  let from = 0;
  let work = 0;
  for (const [index, { name }] of all.entries()) {
    work += costOf(name);
    if (work < STRETCH) continue;
    yield all.slice(from, index + 1);
    from = index + 1;
    work = 0;
  }
  if (from < all.length) yield all.slice(from);
}

function costOf(name: string): number {
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
