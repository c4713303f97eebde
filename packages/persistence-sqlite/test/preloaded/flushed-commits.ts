// The disk of acceptance/power-cuts/disk.c without a compiler, for `node --import`: it records the flushes that Node makes,
// and treats a commit of SQLite with `synchronous = FULL` as a flush of the log
// (https://sqlite.org/pragma.html#pragma_synchronous). It cannot notice a checkpoint, so there is none. Everything that
// exists after the start counts as flushed (`flushAll`).
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread, threadId } from 'node:worker_threads';
import { Checkpointer } from '../../src/engine/checkpointer.ts';
import { connections } from './better-sqlite3.ts';

const { DISK_OF: data = '', DISK: disk = '', DISK_DELAY: microseconds = '0' } = process.env;
const FULL = 2;
let calls = 0;
const newest = new Map<string, number>();

/** Copies the current content of a file or folder; the function that it returns puts the copy on the disk. */
function take(path: string): () => void {
  const file = fs.statSync(path);
  const to = join(disk, file.isDirectory() ? 'names' : 'content', String(file.ino));
  const now = file.isDirectory()
    ? fs
        .readdirSync(path)
        .map((name) => entryOf(path, name))
        .join('')
    : fs.readFileSync(path);
  calls += 1;
  const call = calls;
  return () => {
    // If a file is flushed twice, the last call counts.
    if ((newest.get(to) ?? 0) > call) return;
    newest.set(to, call);
    const staged = `${to}.${threadId}.${call}`;
    fs.writeFileSync(staged, now);
    fs.renameSync(staged, to);
  };
}

function entryOf(folder: string, name: string): string {
  const entry = fs.lstatSync(join(folder, name));
  return name.includes('-shm') ? '' : `${entry.ino} ${entry.isDirectory() ? 'd' : 'f'} ${name}\n`;
}

function recordFlushesOfNode(): void {
  const { open } = fs.promises;
  fs.promises.open = async (path, ...more) => {
    const handle = await open(path, ...more);
    if (!String(path).startsWith(data)) return handle;
    for (const method of ['sync', 'datasync'] as const) {
      const flush = handle[method].bind(handle);
      handle[method] = async () => {
        const put = take(String(path));
        await pause(Number(microseconds) / 1_000);
        await flush();
        put();
      };
    }
    return handle;
  };
  syncBuiltinESMExports();
}

function recordCommits(): void {
  const { prepare } = connections;
  connections.prepare = function (sql) {
    const statement = prepare.call(this, sql);
    if (sql !== 'COMMIT') return statement;
    const run = statement.run.bind(statement);
    statement.run = () => {
      const result = run();
      if (this.pragma('synchronous', { simple: true }) !== FULL) return result;
      take(`${this.name}-wal`)();
      if (isMainThread) fs.appendFileSync(join(disk, 'in-loop'), 'x');
      return result;
    };
    return statement;
  };
}

if (data !== '') {
  // Also in the thread that writes.
  recordCommits();
  if (isMainThread) {
    Checkpointer.prototype.changed = () => {};
    recordFlushesOfNode();
  }
}
