// Measures what Node itself needs to deliver a body, chunk by chunk, to a listener that does nothing.
import { createServer } from 'node:http';

createServer((request, response) => {
  request.on('data', () => {});
  request.on('end', () => response.end());
}).listen(Number(process.env.PINFOLD_PORT), '127.0.0.1', () => console.log('ready'));
