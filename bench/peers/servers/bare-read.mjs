// One bare read of a file that was not open, answered by bare node:http.
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';

const server = createServer(async (request, response) => {
  const file = await open(join(process.env.ROOT, request.url.slice(1)));
  const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(1_000), 0, 1_000, 0);
  await file.close();
  response.writeHead(200, { 'content-length': bytesRead });
  response.end(buffer.subarray(0, bytesRead));
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('ready'));
process.on('SIGTERM', () => process.exit(0));
