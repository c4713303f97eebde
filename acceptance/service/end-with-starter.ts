import { flushCompileCache } from 'node:module';

/** Ends this child process when the process that started it ends, even if that was killed. */
export function endWithStarter(): void {
  // A process that is killed would leave no compiled code to the next one.
  flushCompileCache();
  process.once('disconnect', () => process.exit());
  if (!process.connected) process.exit();
}
