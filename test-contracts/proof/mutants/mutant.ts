import { type Contract, checkClause, clausesOf, type Subject } from '@pinfold/test-contracts';
import { replacing } from '@pinfold/test-contracts/fixtures';

/** Opens the subjects of one clause, which share the state outside of the returned function. */
export type Opening<S> = () => () => Promise<S>;

/**
 * Breaks methods of a port. Called once for each subject, whose port and peers share its state; the
 * function that it returns is called once for each of them.
 */
export type Spoiling<Port> = () => (port: Port) => Partial<Port>;

/** An implementation with one fault. */
export interface Mutant<S> {
  /** Ids of clauses, without the suite, of which one must fail with it. Others may fail, too. */
  readonly breaks: readonly string[];
  /** The fault in a few words. */
  readonly how: string;
  readonly open: Opening<S>;
}

/** A contract, an implementation that fulfills it, and implementations that do not. */
export interface MutantTable<Port, S extends Subject<Port>> {
  readonly contract: Contract<Port, S>;
  readonly sound: Opening<S>;
  readonly mutants: readonly Mutant<S>[];
}

/** A {@link MutantTable} of any port, ready to run. */
export interface TestedTable {
  readonly port: string;
  /** The names of the clauses. */
  readonly clauses: readonly string[];
  readonly mutants: readonly Pick<Mutant<never>, 'breaks' | 'how'>[];
  /** Whether a clause fails with one of the mutants that name it. */
  canFail(clause: string): Promise<boolean>;
  /** Whether a clause holds for the implementation without a fault. */
  holds(clause: string): Promise<boolean>;
  /** Whether a clause that a mutant must break fails with it. */
  isCaught(mutant: TestedTable['mutants'][number]): Promise<boolean>;
}

/** The time limit of a clause with a sound implementation, on the slowest machine, in milliseconds. */
const MAX_WAIT = 60_000;

/** The shortest time limit of a clause with a mutant, in milliseconds; a mutant that never answers is caught, too. */
const LIMIT = 1_000;

/** A mutant that is so many times slower than the sound implementation counts as one that never answers. */
const SLOWER = 20;

export function tested<Port, S extends Subject<Port>>(table: MutantTable<Port, S>): TestedTable {
  const { contract, sound, mutants } = table;
  const clauses = new Map(clausesOf(contract).map((clause) => [clause.id.replace(/^.*\//, ''), clause]));
  const soundTimes = new Map<string, number>();
  const failed = new Set<string>();
  const check = (id: string, create: () => Promise<S>): Promise<void> => {
    const clause = clauses.get(id);
    if (clause === undefined) throw new Error(`${contract.port} has no clause ${id}`);
    return checkClause(clause, create);
  };
  const fails = async (id: string, open: Opening<S>): Promise<boolean> => {
    const limit = Math.max(LIMIT, SLOWER * (soundTimes.get(id) ?? 0));
    const held = await succeedsWithin(check(id, open()), limit);
    if (!held) failed.add(id);
    return !held;
  };
  return {
    port: contract.port,
    clauses: [...clauses.keys()],
    mutants,
    holds: async (id) => {
      const begun = performance.now();
      const held = await succeedsWithin(check(id, sound()), MAX_WAIT);
      soundTimes.set(id, performance.now() - begun);
      return held;
    },
    isCaught: async (mutant) => {
      const { breaks, open } = mutants.find((known) => known === mutant) ?? { breaks: [], open: sound };
      const timeOf = (id: string): number => soundTimes.get(id) ?? 0;
      const quickFirst = breaks.toSorted((one, other) => timeOf(one) - timeOf(other));
      for (const id of quickFirst) if (await fails(id, open)) return true;
      return false;
    },
    canFail: async (id) => {
      if (failed.has(id)) return true;
      for (const { breaks, open } of mutants) if (breaks.includes(id) && (await fails(id, open))) return true;
      return false;
    },
  };
}

async function succeedsWithin(check: Promise<void>, limit: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, limit, false);
  });
  const checked = check.then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([checked, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Opens subjects of a port that stores nothing. */
export function stateless<Port>(create: () => Port): () => Promise<Subject<Port>> {
  return async () => ({ port: create(), peer: async () => create(), dispose: async () => {} });
}

export type Mutate<Port, S> = (
  breaks: string | readonly string[],
  how: string,
  spoiling: Spoiling<Port>,
) => Mutant<S>;

/** Creates mutants of the subjects of `open`: their ports, peers and unreachable ports have the same fault. */
export function mutating<Port extends object, S extends Subject<Port>>(
  open: () => Promise<S>,
): Mutate<Port, S> {
  return (breaks, how, spoiling) => ({
    breaks: [breaks].flat(),
    how,
    open: () => async () => spoil(await open(), spoiling),
  });
}

function spoil<Port extends object, S extends Subject<Port>>(subject: S, spoiling: Spoiling<Port>): S {
  const methods = spoiling();
  const spoiled = (port: Port): Port => replacing(port, methods(port));
  const { unreachable } = subject as { readonly unreachable?: () => Promise<Port> };
  return {
    ...subject,
    port: spoiled(subject.port),
    peer: async () => spoiled(await subject.peer()),
    ...(unreachable === undefined ? {} : { unreachable: async () => spoiled(await unreachable()) }),
  };
}
