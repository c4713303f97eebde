// Runs jobs in order, so that the test that names a failure runs before tests that repeat it a hundred times.

/** A job. */
export interface Job {
  readonly name: string;
  /** Jobs that it needs: choosing it chooses them, too. */
  readonly needs: readonly string[];
  /** Jobs that must succeed first if they were chosen, too. */
  readonly derivesFrom: readonly string[];
}

/** The end of a job: `left_out` if the job that `because` names failed, for which it waited. */
export type Ending =
  | { readonly kind: 'succeeded' | 'failed' }
  | { readonly kind: 'left_out'; readonly because: string };

/**
 * Runs jobs in their order, as many at the same time as there are lanes. Jobs after one that waits for others may run
 * before it.
 */
export async function runInLanes<J extends Job>(
  jobs: readonly J[],
  lanes: number,
  run: (job: J) => Promise<boolean>,
): Promise<ReadonlyMap<J, Ending>> {
  const waiting = new Set(jobs);
  const running = new Map<J, Promise<void>>();
  const endings = new Map<J, Ending>();
  const waitsFor = ({ needs, derivesFrom }: J): readonly J[] =>
    jobs.filter(({ name }) => needs.includes(name) || derivesFrom.includes(name));
  while (waiting.size > 0 || running.size > 0) {
    for (const job of waiting) {
      const others = waitsFor(job);
      const broken = others.find((other) => (endings.get(other) ?? SOUND).kind !== 'succeeded');
      if (broken !== undefined) {
        waiting.delete(job);
        endings.set(job, { kind: 'left_out', because: broken.name });
      } else if (running.size < lanes && others.every((other) => endings.has(other))) {
        waiting.delete(job);
        const ended = run(job).then((succeeded) => {
          endings.set(job, { kind: succeeded ? 'succeeded' : 'failed' });
          running.delete(job);
        });
        running.set(job, ended);
      }
    }
    if (running.size > 0) await Promise.race(running.values());
  }
  return endings;
}

/** Assumed of a job that has not ended: others wait for it, and are not left out. */
const SOUND: Ending = { kind: 'succeeded' };

/**
 * The jobs with these names, and those they need: the one with exactly that name, else all whose name contains it.
 *
 * @throws Error if no job matches a name.
 */
export function chosen<J extends Job>(jobs: readonly J[], names: readonly string[]): readonly J[] {
  if (names.length === 0) return jobs;
  const wanted = new Set(names.flatMap((name) => matching(jobs, name)));
  for (const job of wanted) {
    for (const other of jobs) if (job.needs.includes(other.name)) wanted.add(other);
  }
  return jobs.filter((job) => wanted.has(job));
}

function matching<J extends Job>(jobs: readonly J[], name: string): readonly J[] {
  const exact = jobs.filter((job) => job.name === name);
  const found = exact.length > 0 ? exact : jobs.filter((job) => job.name.includes(name));
  if (found.length > 0) return found;
  throw new Error(
    `no check or suite is called "${name}". There are: ${jobs.map((job) => job.name).join(', ')}`,
  );
}
