import { type Clause, type Contract, checkClause, clausesOf, type Subject } from '@pinfold/test-contracts';

/** Makes the `create` of one clause. What it sets up outside of `create` is shared by all subjects of that clause. */
export type Opening<S> = () => () => Promise<S>;

/** One broken implementation: what is wrong with it, and which clauses notice. */
export interface Saboteur<S> {
  /** The clause it was made for. */
  readonly breaks: string;
  /** What it does wrong, in a few words. */
  readonly how: string;
  readonly open: Opening<S>;
  /** Other clauses that cannot but fail with it. */
  readonly alsoFails?: readonly string[];
}

/** A contract with an implementation that keeps it and one broken implementation for each clause. */
export interface Sabotage<Port, S extends Subject<Port>> {
  readonly contract: Contract<Port, S>;
  readonly sound: Opening<S>;
  readonly saboteurs: readonly Saboteur<S>[];
  /**
   * The least that one clause is given, in milliseconds; who never ends has failed. 5,000 when absent. Where the
   * sound implementation is slow, because the machine is, the others are given time in proportion.
   */
  readonly limit?: number;
}

/** A {@link Sabotage} of any port, ready to be run. */
export interface Proof {
  readonly port: string;
  readonly clauses: readonly string[];
  readonly saboteurs: readonly Pick<Saboteur<never>, 'breaks' | 'how' | 'alsoFails'>[];
  /** The clauses that fail with a saboteur, or with the sound implementation. */
  failing(saboteur?: Proof['saboteurs'][number]): Promise<readonly string[]>;
}

/** The ids of a contract's clauses but for some. */
export function clausesBut<Port, S extends Subject<Port>>(
  contract: Contract<Port, S>,
  ids: readonly string[],
): readonly string[] {
  return clausesOf(contract)
    .map(({ id }) => id)
    .filter((id) => !ids.includes(id));
}

/** What one clause of a sound implementation may take on the slowest machine, in milliseconds. */
const LONGEST = 60_000;

/** How many times slower a broken implementation may be before it counts as one that never ends. */
const SLOWER = 20;

export function proofOf<Port, S extends Subject<Port>>(sabotage: Sabotage<Port, S>): Proof {
  const { contract, saboteurs, sound, limit = 5_000 } = sabotage;
  const clauses = clausesOf(contract);
  const soundly = new Map<string, number>();
  return {
    port: contract.port,
    clauses: clauses.map(({ id }) => id),
    saboteurs,
    failing: async (saboteur) => {
      const open = saboteurs.find((known) => known === saboteur)?.open ?? sound;
      const failed: string[] = [];
      for (const clause of clauses) {
        const begun = performance.now();
        const given =
          saboteur === undefined ? LONGEST : Math.max(limit, SLOWER * (soundly.get(clause.id) ?? 0));
        if (!(await holds(clause, open(), given))) failed.push(clause.id);
        if (saboteur === undefined) soundly.set(clause.id, performance.now() - begun);
      }
      return failed;
    },
  };
}

/** Whether a clause holds for an implementation, within so many milliseconds. */
export async function holds<Port, S extends Subject<Port>>(
  clause: Clause<Port, S>,
  create: () => Promise<S>,
  limit: number,
): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, limit, false);
  });
  const checked = checkClause(clause, create).then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([checked, late]);
  } finally {
    clearTimeout(timer);
  }
}
