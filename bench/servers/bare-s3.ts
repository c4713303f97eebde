// One bare ranged read of an object by the AWS SDK, answered by bare node:http.
import { createServer } from 'node:http';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { createS3Client } from '@pinfold/storage-s3';

const { ENDPOINT = '', PORT } = process.env;
const client = createS3Client({ region: 'us-east-1', endpoint: ENDPOINT });

createServer(async ({ url = '' }, response) => {
  const read = new GetObjectCommand({ Bucket: 'bench', Key: url.slice(1), Range: 'bytes=0-999' });
  const { Body } = await client.send(read);
  const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
  response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
}).listen(Number(PORT), '127.0.0.1', () => console.log('ready'));
process.on('SIGTERM', () => process.exit(0));
