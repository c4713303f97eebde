import { randomUUID } from 'node:crypto';
import { agent, ask } from '../lib/http.ts';

/** The target of an upload: Pinfold's API, or a peer's path. */
export interface UploadTarget {
  readonly port: number;
  readonly path?: string;
  readonly authorization?: string;
}

const BOUNDARY = 'pinfold-bench-4f1c2d3b5a6978';

/** Uploads an archive as curl would; milliseconds to the whole answer. */
export async function post(
  target: UploadTarget,
  archive: Uint8Array<ArrayBuffer>,
  key: string = randomUUID(),
): Promise<number> {
  const start = performance.now();
  const { status, body } = await send(target, archive, key);
  if (status !== 201 && status !== 200) throw new Error(`${status} ${body}`);
  return performance.now() - start;
}

/** Publications per second of several publishers, each making some, one after another. */
export async function postMany(
  target: UploadTarget,
  archive: Uint8Array<ArrayBuffer>,
  publishers: number,
  each: number,
): Promise<number> {
  const start = performance.now();
  const publisher = async () => {
    for (let n = 0; n < each; n += 1) await post(target, archive);
  };
  await Promise.all(Array.from({ length: publishers }, publisher));
  return (publishers * each) / ((performance.now() - start) / 1_000);
}

/** One upload, with any answer. */
export async function send(
  { port, path, authorization }: UploadTarget,
  archive: Uint8Array<ArrayBuffer>,
  key: string,
): Promise<{ readonly status: number; readonly body: string }> {
  const head = Buffer.from(
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="archive"; filename="site.zip"\r\n` +
      'content-type: application/zip\r\n\r\n',
  );
  const tail = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
  const headers = {
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    'content-length': head.length + archive.length + tail.length,
    ...(authorization === undefined ? {} : { authorization, 'idempotency-key': key }),
  };
  const where = path ?? (authorization === undefined ? '/publish' : '/api/v1/pins');
  const answer = await ask({ port, path: where, method: 'POST', headers, agent }, head, archive, tail);
  return { status: answer.status, body: String(answer.raw) };
}
