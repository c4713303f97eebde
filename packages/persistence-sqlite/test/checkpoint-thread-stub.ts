import { appendFileSync, existsSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

/**
 * Replaces the checkpoint thread: for each message, appends to the named file where it finds a package, and fails if a
 * test has created the file `.die`.
 */
parentPort?.on('message', (file: string) => {
  appendFileSync(file, `${import.meta.resolve('@pinfold/core')}\n`);
  if (existsSync(`${file}.die`)) throw new Error('made by a test');
  parentPort?.postMessage('done');
});
