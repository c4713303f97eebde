import { readdir } from 'node:fs/promises';
import { readOpenFileLimit } from '../server/open-file-limit.ts';
import type { Registry } from './registry.ts';

const OPEN_FILES = '/proc/self/fd';

/** Measures the process, under the names of Prometheus' client libraries. */
export function addProcessMetrics(registry: Registry): void {
  const memoryHelp = 'Resident memory of all processes.';
  const memory = registry.gauge('process_resident_memory_bytes', memoryHelp).at();
  const cpu = registry.counter('process_cpu_seconds_total', 'CPU time of all processes.').at();
  const startHelp = 'When the first of the processes started.';
  const start = registry.gauge('process_start_time_seconds', startHelp, [], 'least').at();
  start.value = performance.timeOrigin / 1_000;
  registry.beforeSnapshot(() => {
    memory.value = process.memoryUsage.rss();
    const { user, system } = process.cpuUsage();
    cpu.value = (user + system) / 1e6;
  });
  openFiles(registry);
}

/** Adds the metrics of open files. Only Linux has this folder; elsewhere they are absent. */
function openFiles(registry: Registry): void {
  const limit = readOpenFileLimit();
  if (limit === undefined) return;
  registry.gauge('process_max_fds', 'How many files the processes may open.').at().value = limit;
  const open = registry.gauge('process_open_fds', 'Files and sockets that are open.').at();
  registry.updateBeforeSnapshot(open, async () => {
    const files = await readdir(OPEN_FILES).catch(() => []);
    // Minus the folder itself, which is open while it is read.
    return Math.max(0, files.length - 1);
  });
}
