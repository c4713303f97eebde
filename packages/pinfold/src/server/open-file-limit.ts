import { readFileSync } from 'node:fs';

/** How many files and sockets the process may have open; `undefined` where the system does not say, as all but Linux. */
export function openFileLimit(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
