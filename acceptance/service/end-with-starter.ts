/** In a started script: ends it when whoever started it has gone, however that happened. */
export function endWithStarter(): void {
  process.once('disconnect', () => process.exit());
  if (!process.connected) process.exit();
}
