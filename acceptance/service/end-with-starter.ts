/** Ends this child process when the process that started it ends, even if that was killed. */
export function endWithStarter(): void {
  process.once('disconnect', () => process.exit());
  if (!process.connected) process.exit();
}
