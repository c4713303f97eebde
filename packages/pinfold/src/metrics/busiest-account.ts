import type { Registry } from './registry.ts';

/** The most accounts counted in half an hour; later ones are not. */
const MAX_ACCOUNTS = 10_000;

const HALF = 30 * 60_000;

/** Measures the publications of the busiest account, without its name. Returns a function that counts one. */
export function busiestAccount(
  registry: Registry,
  now: () => number = () => performance.now(),
): (account: string) => void {
  let [before, counts] = [new Map<string, number>(), new Map<string, number>()];
  let since = now();
  const turn = (): void => {
    const past = now() - since;
    if (past < HALF) return;
    before = past < 2 * HALF ? counts : new Map();
    counts = new Map();
    since = now();
  };
  const help = 'Publications of the account that made the most, in the last half hour to hour.';
  const most = registry.gauge('pinfold_busiest_account_publications', help, [], 'greatest').at();
  registry.beforeSnapshot(() => {
    turn();
    const accounts = [...before.keys(), ...counts.keys()];
    const countOf = (account: string): number => (before.get(account) ?? 0) + (counts.get(account) ?? 0);
    most.value = accounts.reduce((greatest, account) => Math.max(greatest, countOf(account)), 0);
  });
  return (account) => {
    turn();
    const count = counts.get(account);
    if (count !== undefined || counts.size < MAX_ACCOUNTS) counts.set(account, (count ?? 0) + 1);
  };
}
