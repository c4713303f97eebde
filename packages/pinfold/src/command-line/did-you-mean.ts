/** A sentence that suggests the nearest known word, or an empty string. */
export function didYouMean(word: string, known: readonly string[], prefix: string = ''): string {
  const nearest = findNearestWord(word, known);
  return nearest === undefined ? '' : `. Did you mean ${prefix}${nearest}?`;
}

/** Finds the known word with the fewest typing errors, at most two. */
export function findNearestWord(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, errors: countTypingErrors(word, candidate) }))
    .filter(({ candidate, errors }) => errors <= Math.min(2, candidate.length - 1))
    .sort((one, other) => one.errors - other.errors);
  return best?.candidate;
}

function countTypingErrors(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, otherCharacter] of [...other].entries()) {
      const replaced = (row[column] ?? 0) + (character === otherCharacter ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
