import type { Files } from './files.ts';
import { syncFolder } from './folders.ts';

/**
 * Creates a function that flushes the entries of a folder, and resolves after a flush that began after the call. Calls
 * during a flush of their folder share the next one.
 */
export function createFolderFlush(files: Files): (folder: string) => Promise<void> {
  const running = new Map<string, Promise<void>>();
  const next = new Map<string, Promise<void>>();
  const start = (folder: string): Promise<void> => {
    const begun = syncFolder(files, folder).finally(() => running.delete(folder));
    running.set(folder, begun);
    return begun;
  };
  return (folder) => {
    const shared = next.get(folder);
    if (shared !== undefined) return shared;
    const before = running.get(folder);
    if (before === undefined) return start(folder);
    const waiting = before
      // If the running flush fails, so do the waiting calls: the system may not report the same failure again.
      .finally(() => next.delete(folder))
      .then(() => start(folder));
    next.set(folder, waiting);
    return waiting;
  };
}
