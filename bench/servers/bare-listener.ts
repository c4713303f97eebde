// What Node itself needs to hand over a body, chunk by chunk, to somebody who does nothing with it.
import { createServer } from 'node:http';

createServer((request, response) => {
  request.on('data', () => {});
  request.on('end', () => response.end());
}).listen(Number(process.env.PINFOLD_PORT), '127.0.0.1', () => console.log('ready'));
