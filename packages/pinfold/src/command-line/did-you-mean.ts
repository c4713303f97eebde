/** A sentence that suggests the nearest known word; an empty string if none is near. */
export function didYouMean(word: string, known: readonly string[], prefix: string = ''): string {
  const nearest = nearestWord(word, known);
  return nearest === undefined ? '' : `. Did you mean ${prefix}${nearest}?`;
}

/** The known word that is the fewest typing errors away, and at most two. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, errors: distance(word, candidate) }))
    .filter(({ candidate, errors }) => errors <= Math.min(2, candidate.length - 1))
    .sort((one, other) => one.errors - other.errors);
  return best?.candidate;
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
