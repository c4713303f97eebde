const MAX_CAUSES = 10;

/**
 * An error and what caused it, outermost first; not by class, since a test runner's realm has other classes than the
 * runtime's `fetch`.
 */
export function* causesOf(error: unknown): Iterable<Error> {
  let one = error as Error | undefined;
  for (let depth = 0; typeof one?.message === 'string' && depth < MAX_CAUSES; depth += 1) {
    yield one;
    one = one.cause as Error | undefined;
  }
}
