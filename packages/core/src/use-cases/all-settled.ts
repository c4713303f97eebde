/** Archives that a sweep looks at or removes at the same time. */
export const AT_ONCE = 16;

/** Does something with all at once, and ends when the last has ended, also when one of them failed. */
export async function allOf<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const outcomes = await Promise.allSettled(items.map(work));
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}
