import { createServer } from 'node:http';
import sirv from 'sirv';

const serve = sirv(process.env.ROOT, { gzip: true, etag: true, dev: false });
createServer((request, response) => serve(request, response)).listen(
  Number(process.env.PORT),
  '127.0.0.1',
  () => console.log('ready'),
);
process.on('SIGTERM', () => process.exit(0));
