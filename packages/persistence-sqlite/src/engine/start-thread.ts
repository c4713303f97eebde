import { Worker } from 'node:worker_threads';

const IS_SOURCE = import.meta.url.endsWith('.ts');

/** The entry file of a thread by its path from this folder, with the extension of this file. */
export function entryOf(path: string): URL {
  return new URL(`${path}.${IS_SOURCE ? 'ts' : 'js'}`, import.meta.url);
}

/** Starts a thread. Without a limit V8 reserves much more for its young objects. */
export function startThread(name: string, entry: URL, youngMib: number, workerData?: string): Worker {
  return new Worker(entry, {
    name: `pinfold-persistence-sqlite${name}`,
    workerData,
    // Not the options of the process: some, such as `--input-type`, would keep a thread from starting.
    execArgv: IS_SOURCE ? ['--conditions=@pinfold/source'] : [],
    resourceLimits: { maxYoungGenerationSizeMb: youngMib },
  });
}
