import { readFileSync } from 'node:fs';

/** Reads how many files and sockets the process may have open; `undefined` on systems other than Linux. */
export function readOpenFileLimit(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
