import { parentPort } from 'node:worker_threads';
import { checkpoint } from './checkpoint.ts';
import { isOfSqlite } from './sqlite-errors.ts';

const port = parentPort;
if (port === null) throw new TypeError('this file is run as a worker thread');

port.on('message', (file: string) => {
  try {
    checkpoint(file);
  } catch (error) {
    // The stores report a full disk or a missing file. The log stays, and the next checkpoint copies more.
    if (!isOfSqlite(error)) throw error;
  }
  port.postMessage('done');
});
