import type { Files } from './files.ts';
import { syncFolder } from './folders.ts';

/**
 * Makes a function that flushes the entries of a folder, and resolves when a flush has ended that began after the call.
 * Callers that come while a flush of their folder runs share the next one.
 */
export function folderFlushes(files: Files): (folder: string) => Promise<void> {
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
      // A failure may be of entries that changed while it ran, and the system reports it only once.
      .finally(() => next.delete(folder))
      .then(() => start(folder));
    next.set(folder, waiting);
    return waiting;
  };
}
