import type { Registry } from './registry.ts';

/** The most accounts to count in half an hour; later ones are not counted. */
const MAX_ACCOUNTS = 10_000;

const HALF_HOUR = 30 * 60_000;

/** Measures the publications of the busiest account, without naming it. Returns a function that counts one. */
export function measureBusiestAccount(
  registry: Registry,
  now: () => number = () => performance.now(),
): (account: string) => void {
  let [previous, counts] = [new Map<string, number>(), new Map<string, number>()];
  let since = now();
  const rotate = (): void => {
    const elapsed = now() - since;
    if (elapsed < HALF_HOUR) return;
    previous = elapsed < 2 * HALF_HOUR ? counts : new Map();
    counts = new Map();
    since = now();
  };
  const help = 'Publications of the account that made the most, in the last half hour to hour.';
  const gauge = registry.gauge('pinfold_busiest_account_publications', help, [], 'greatest').at();
  registry.beforeSnapshot(() => {
    rotate();
    const accounts = [...previous.keys(), ...counts.keys()];
    const countOf = (account: string): number => (previous.get(account) ?? 0) + (counts.get(account) ?? 0);
    gauge.value = accounts.reduce((greatest, account) => Math.max(greatest, countOf(account)), 0);
  });
  return (account) => {
    rotate();
    const count = counts.get(account);
    if (count !== undefined || counts.size < MAX_ACCOUNTS) counts.set(account, (count ?? 0) + 1);
  };
}
