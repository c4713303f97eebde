import { checkClause, clausesOf, type Subject } from '@pinfold/test-contracts';
import { CERTAIN_DISTORTION } from './distortions.ts';
import { CERTAIN_FAULTS, REJECTION_FAULTS } from './generic-faults.ts';
import { derived, type Opening, onPorts, type PortTable } from './mutant.ts';
import { methodsOf, type RecordedCalls, recording, wrapped } from './recorded-calls.ts';

/** A {@link PortTable} of any port, ready to run. */
export interface TestedTable {
  readonly port: string;
  /** The names of the clauses. */
  readonly clauses: readonly string[];
  readonly stories: readonly { readonly breaks: string; readonly how: string }[];
  /** Whether a clause holds for the implementation without a fault. */
  holds(clause: string): Promise<boolean>;
  /** Whether a clause fails with a fault that is derived from its calls, or with a story. */
  canFail(clause: string): Promise<boolean>;
  /** Whether the clause that a story must break fails with it. */
  isNoticed(story: TestedTable['stories'][number]): Promise<boolean>;
  /** The faults of methods that a clause must notice and none does. */
  unnoticed(): Promise<readonly string[]>;
}

/** The time limit of a clause with a sound implementation, on the slowest machine, in milliseconds. */
const MAX_WAIT = 60_000;

/** The shortest time limit of a clause with a fault, in milliseconds; one that never answers is noticed, too. */
const LIMIT = 1_000;

/** An implementation that is so many times slower than the sound one counts as one that never answers. */
const SLOWER = 20;

/** A clause with the sound implementation. */
interface SoundRun {
  readonly isHeld: boolean;
  /** In milliseconds. */
  readonly time: number;
  readonly record: ReadonlyMap<string, RecordedCalls>;
}

export function tested<Port extends object, S extends Subject<Port>>(table: PortTable<Port, S>): TestedTable {
  const { contract, open, stories = [], part, furtherMethods = [], checksFields = false } = table;
  const clauses = new Map(clausesOf(contract).map((clause) => [clause.id.replace(/^.*\//, ''), clause]));
  const soundRuns = new Map<string, Promise<SoundRun>>();
  const check = (id: string, create: () => Promise<S>): Promise<void> => {
    const clause = clauses.get(id);
    if (clause === undefined) throw new Error(`${contract.port} has no clause ${id}`);
    return checkClause(clause, create);
  };
  const runSound = async (id: string): Promise<SoundRun> => {
    const record = new Map<string, RecordedCalls>();
    const create = async () => onPorts(await open(), (port) => wrapped(port, recording(record)));
    const start = performance.now();
    const isHeld = await succeedsWithin(check(id, create), MAX_WAIT);
    return { isHeld, time: performance.now() - start, record };
  };
  const soundRun = (id: string): Promise<SoundRun> => {
    const run = soundRuns.get(id) ?? runSound(id);
    soundRuns.set(id, run);
    return run;
  };
  const fails = async (id: string, opening: Opening<S>): Promise<boolean> => {
    const { time } = await soundRun(id);
    return !(await succeedsWithin(check(id, opening()), Math.max(LIMIT, SLOWER * time)));
  };
  const certain = [...CERTAIN_FAULTS, ...(clauses.has('unreachable') ? Object.keys(REJECTION_FAULTS) : [])];
  const isCertain = ({ method, fault }: { readonly method: string; readonly fault: string }): boolean =>
    (part === undefined || method.startsWith(`${part}.`)) &&
    (certain.includes(fault) || (checksFields && CERTAIN_DISTORTION.test(fault)));
  const methods = async (): Promise<readonly string[]> => {
    const subject = await open();
    const { port } = subject;
    await subject.dispose();
    if (part !== undefined) return methodsOf(port[part] as object).map((name) => `${part}.${name}`);
    return methodsOf(port).filter((name) => !furtherMethods.includes(name));
  };
  return {
    port: contract.port,
    clauses: [...clauses.keys()],
    stories,
    holds: async (id) => (await soundRun(id)).isHeld,
    canFail: async (id) => {
      const { record } = await soundRun(id);
      for (const mutant of derived(open, record)) if (await fails(id, mutant.open)) return true;
      for (const story of stories) if (story.breaks === id && (await fails(id, story.open))) return true;
      return false;
    },
    isNoticed: async (story) => {
      const known = stories.find((one) => one === story);
      return known !== undefined && (await fails(known.breaks, known.open));
    },
    unnoticed: async () => {
      const isNoticed = new Map<string, boolean>();
      for (const method of await methods()) isNoticed.set(`${method}: no clause calls it`, false);
      const runs = await Promise.all(
        [...clauses.keys()].map(async (id) => ({ id, ...(await soundRun(id)) })),
      );
      for (const { id, record } of runs.toSorted((one, other) => one.time - other.time)) {
        for (const method of record.keys()) isNoticed.delete(`${method}: no clause calls it`);
        for (const mutant of derived(open, record).filter(isCertain)) {
          const name = `${mutant.method}: ${mutant.fault}`;
          isNoticed.set(name, isNoticed.get(name) || (await fails(id, mutant.open)));
        }
      }
      return [...isNoticed.keys()].filter((name) => !isNoticed.get(name));
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
