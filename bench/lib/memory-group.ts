import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A control group of Linux that kills processes above a memory limit. */
export interface MemoryGroup {
  /** Starts a process in the group. */
  start<Server>(begin: () => Promise<Server>): Promise<Server>;
  /** Removes the group, once its processes have ended. */
  remove(): void;
}

/** Creates a group with a limit in MiB; `undefined` if this user or system cannot. */
export function makeMemoryGroup(mebibytes: number): MemoryGroup | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/sys/fs/cgroup')) return undefined;
  const isUnified = existsSync('/sys/fs/cgroup/cgroup.controllers');
  const root = isUnified ? '/sys/fs/cgroup' : '/sys/fs/cgroup/memory';
  const own = /^\d+:(?:memory)?:(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1] ?? '/';
  const group = join(root, `pinfold-bench-${process.pid}`);
  const enter = (at: string) => writeFileSync(join(at, 'cgroup.procs'), String(process.pid));
  try {
    mkdirSync(group);
  } catch {
    // A container may prevent its root from creating groups.
    return undefined;
  }
  const limit = join(group, isUnified ? 'memory.max' : 'memory.limit_in_bytes');
  writeFileSync(limit, String(mebibytes * 1_048_576));
  return {
    start: (begin) => {
      // A process starts in the group of its parent.
      enter(group);
      return begin().finally(() => enter(join(root, own)));
    },
    remove: () => rmdirSync(group),
  };
}
