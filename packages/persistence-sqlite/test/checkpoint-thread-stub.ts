import { appendFileSync, existsSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

/**
 * In the place of the thread that checkpoints: notes at each order, in the file it names, where it finds a package, and dies
 * where it is told to.
 */
parentPort?.on('message', (file: string) => {
  appendFileSync(file, `${import.meta.resolve('@pinfold/core')}\n`);
  if (existsSync(`${file}.die`)) throw new Error('made by a test');
  parentPort?.postMessage('done');
});
