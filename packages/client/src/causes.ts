const MAX_CAUSES = 10;

/**
 * Yields an error and its causes, outermost first. Checks no classes, since a test runner's realm has other classes than the
 * runtime's `fetch`.
 */
export function* causesOf(error: unknown): Iterable<Error> {
  let current = error as Error | undefined;
  for (let depth = 0; typeof current?.message === 'string' && depth < MAX_CAUSES; depth += 1) {
    yield current;
    current = current.cause as Error | undefined;
  }
}
