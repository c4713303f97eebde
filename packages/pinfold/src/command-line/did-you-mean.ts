/** Suggests the known word that is at most two typing errors away; an empty string if none is. */
export function didYouMean(word: string, known: readonly string[], prefix: string = ''): string {
  const [best] = known
    .map((candidate) => ({ candidate, errors: distance(word, candidate) }))
    .filter(({ candidate, errors }) => errors <= Math.min(2, candidate.length - 1))
    .sort((one, other) => one.errors - other.errors);
  return best === undefined ? '' : `. Did you mean ${prefix}${best.candidate}?`;
}

function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, sign] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, otherSign] of [...other].entries()) {
      const replaced = (row[column] ?? 0) + (sign === otherSign ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
