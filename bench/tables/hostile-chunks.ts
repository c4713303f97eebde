import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { cpuSeconds } from '../lib/process-figures.ts';
import { freePort, NODE, startServer } from '../lib/processes.ts';
import { filledSite, smallPages, zipOf } from '../lib/sites.ts';
import { findings, type HostileLoad } from './hostile-load.ts';
import { send, type UploadTarget } from './uploads.ts';

const SIZE = 3_000_000;
const BOUNDARY = 'pinfold-bench';
const LISTENER = join(import.meta.dirname, '../servers/bare-listener.ts');

/** An upload of 3 MB in chunks of one byte, against a server of bare node:http that takes the same and does nothing. */
export const tinyChunks: HostileLoad = {
  rounds: 3,
  measure: async (start) => {
    const port = await freePort();
    const bare = await startServer([...NODE, LISTENER], { PINFOLD_PORT: String(port) });
    try {
      const server = await start();
      await send(server.publisher, zipOf(smallPages(2)), 'warm');
      const listened = await cpuOf(bare.pid, { port });
      const taken = await cpuOf(server.pid, server.publisher);
      return findings(
        '3 MB in chunks of one byte: CPU',
        ['', taken / listened, '× bare node:http'],
        ['', taken, 's'],
      );
    } finally {
      await bare.stop();
    }
  },
};

async function cpuOf(pid: number, target: UploadTarget): Promise<number> {
  const words = upload(target);
  const from = cpuSeconds(pid);
  const socket = connect(target.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(words);
  const answer = await text(socket);
  if (!answer.startsWith('HTTP/1.1 200')) throw new Error(answer.slice(0, 1_000));
  return cpuSeconds(pid) - from;
}

function upload({ authorization = '' }: UploadTarget): Buffer {
  const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="archive"; filename="site.zip"\r\n\r\n`;
  const archive = zipOf(filledSite(3, SIZE, SIZE));
  const form = Buffer.concat([Buffer.from(head), archive, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
  const chunks = Buffer.alloc(form.length * 6);
  form.forEach((byte, n) => {
    chunks.write('1\r\n', n * 6, 'latin1');
    chunks[n * 6 + 3] = byte;
    chunks.write('\r\n', n * 6 + 4, 'latin1');
  });
  const lines = [
    'POST /api/v1/pins?dry_run=true HTTP/1.1',
    'Host: localhost',
    `Authorization: ${authorization}`,
    `Content-Type: multipart/form-data; boundary=${BOUNDARY}`,
    'Transfer-Encoding: chunked',
    'Connection: close',
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), chunks, Buffer.from('0\r\n\r\n')]);
}
