// An S3 server of its own process, so that it takes no time from the load.
import { startS3 } from 'pinfold-test-servers';

const server = await startS3();
await server.makeBucket('bench');
process.on('message', () => process.send?.(server.endpoint));
// A failed bench leaves nothing behind.
process.on('disconnect', () => process.exit(1));
process.on('SIGTERM', async () => {
  await server.stop();
  process.exit(0);
});
console.log('ready');
