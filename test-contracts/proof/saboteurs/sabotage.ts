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
  /** The longest one clause may take, in milliseconds; who takes longer has failed. 5,000 when absent. */
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

export function proofOf<Port, S extends Subject<Port>>(sabotage: Sabotage<Port, S>): Proof {
  const { contract, saboteurs, sound, limit = 5_000 } = sabotage;
  const clauses = clausesOf(contract);
  return {
    port: contract.port,
    clauses: clauses.map(({ id }) => id),
    saboteurs,
    failing: async (saboteur) => {
      const open = saboteurs.find((known) => known === saboteur)?.open ?? sound;
      const failed: string[] = [];
      for (const clause of clauses) if (!(await holds(clause, open(), limit))) failed.push(clause.id);
      return failed;
    },
  };
}

async function holds<Port, S extends Subject<Port>>(
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
