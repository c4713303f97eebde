import { parentPort } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { checkpoint } from './checkpoint.ts';

const port = parentPort;
if (port === null) throw new TypeError('this file is run as a worker thread');

port.on('message', (file: string) => {
  try {
    checkpoint(file);
  } catch (error) {
    // A full disk or a file that is away is told by the stores; the log waits, and the next time copies more.
    if (!(error instanceof Database.SqliteError)) throw error;
  }
  port.postMessage('done');
});
