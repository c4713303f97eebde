// Changes a row again and again, in all ways that touch the write-ahead log, and acknowledges each commit in a file of
// its own: arguments are the database, that file, a seed, and how much SQLite waits for the disk.
import { openSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';

const [file = '', acknowledged = '', seed = '1', synchronous = 'OFF'] = process.argv.slice(2);
const database = new Database(file, { timeout: 5_000 });
database.pragma(`synchronous = ${synchronous}`);
database.pragma('wal_autocheckpoint = 50');
const out = openSync(acknowledged, 'r+');
const update = database.prepare('UPDATE counters SET value = value + 1 WHERE id = ? RETURNING value');
const insert = database.prepare('INSERT INTO noise (text) VALUES (?)');
const remove = database.prepare('DELETE FROM noise WHERE rowid % 2 = 0');
const change = database.transaction(() => update.get('row') as { readonly value: number });
const modes = ['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'];
const eight = Buffer.alloc(8);
let state = Number(seed);
const next = (below: number): number => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
  return state % below;
};
process.send?.('ready');
for (;;) {
  const { value } = change.immediate();
  eight.writeDoubleBE(value);
  // The commit has returned: from now on every reader must see it.
  writeSync(out, eight, 0, 8, 0);
  if (next(5) === 0) insert.run('x'.repeat(next(3_000)));
  if (next(40) === 0) remove.run();
  if (next(30) === 0) database.pragma(`wal_checkpoint(${modes[next(4)]})`);
}
