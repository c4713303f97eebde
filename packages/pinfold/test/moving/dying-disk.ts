import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** The calls that change a folder. */
const CALLS = ['link', 'mkdir', 'open', 'rename', 'rm', 'unlink'] as const;

/**
 * Lets every change of a folder fail from the `last`th on, so that the folder looks as after a kill.
 * `restore` ends that, and returns whether it was reached.
 */
export function countSteps(folder: string, last: number): { restore(): boolean } {
  const own = Object.fromEntries(CALLS.map((name) => [name, files[name]]));
  let steps = 0;
  for (const name of CALLS) {
    const call = own[name] as (...args: unknown[]) => Promise<unknown>;
    const countedCall = async (path: unknown, ...rest: unknown[]): Promise<unknown> => {
      if (String(path).startsWith(folder) && (name !== 'open' || rest[0] !== 'r')) steps += 1;
      if (steps >= last && String(path).startsWith(folder) && (name !== 'open' || rest[0] !== 'r'))
        throw Object.assign(new Error(`EIO: ${name}`), { code: 'EIO', syscall: name });
      return await call(path, ...rest);
    };
    Object.assign(files, { [name]: countedCall });
  }
  syncBuiltinESMExports();
  return {
    restore: () => {
      Object.assign(files, own);
      syncBuiltinESMExports();
      return steps >= last;
    },
  };
}
