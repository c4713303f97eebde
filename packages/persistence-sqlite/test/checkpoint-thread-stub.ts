import { appendFileSync, existsSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

/**
 * Replaces the checkpoint thread: for each order, writes to the named file where it finds a package, and ends abruptly
 * on request.
 */
parentPort?.on('message', (file: string) => {
  appendFileSync(file, `${import.meta.resolve('@pinfold/core')}\n`);
  if (existsSync(`${file}.die`)) throw new Error('made by a test');
  parentPort?.postMessage('done');
});
