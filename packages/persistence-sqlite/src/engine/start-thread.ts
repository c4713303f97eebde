import { Worker } from 'node:worker_threads';

const IS_SOURCE = import.meta.url.endsWith('.ts');

/** The URL of a thread's entry file, by its path from this folder without extension. */
export function entryOf(path: string): URL {
  return new URL(`${path}.${IS_SOURCE ? 'ts' : 'js'}`, import.meta.url);
}

/** Starts a thread. Without a limit, V8 would reserve much more memory for young objects. */
export function startThread(name: string, entry: URL, youngMib: number, workerData?: string): Worker {
  return new Worker(entry, {
    name: `pinfold-persistence-sqlite${name}`,
    workerData,
    // Does not inherit the options of the process: with some, such as `--input-type`, a thread cannot start.
    execArgv: IS_SOURCE ? ['--conditions=@pinfold/source'] : [],
    resourceLimits: { maxYoungGenerationSizeMb: youngMib },
  });
}
