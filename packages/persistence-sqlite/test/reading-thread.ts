import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

// Reads one state of a file until another connection takes the writers' lock, and shortly after.
const reader = new Database(workerData, { timeout: 0 });
const writer = new Database(workerData, { timeout: 0 });
reader.exec('BEGIN');
reader.prepare('SELECT count(*) FROM notes').get();
parentPort?.postMessage('reading');
while (canWrite()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
reader.exec('COMMIT');
for (const database of [reader, writer]) database.close();

function canWrite(): boolean {
  try {
    writer.exec('BEGIN IMMEDIATE; ROLLBACK');
    return true;
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY') return false;
    throw error;
  }
}
