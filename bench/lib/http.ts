import { Agent, request as httpRequest, type IncomingHttpHeaders, type RequestOptions } from 'node:http';

/** A whole answer. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly raw: Buffer;
  /** Milliseconds to the first byte of the body, and to the last. */
  readonly firstByte: number;
  readonly taken: number;
}

/** Keeps its connections. */
export const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** Sends one request to a server on this machine; the pieces of the body are sent one after another. */
export function ask(options: RequestOptions, ...body: readonly (string | Uint8Array)[]): Promise<Answer> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', ...options }, (answer) => {
      const chunks: Buffer[] = [];
      let firstByte = Number.NaN;
      answer.once('data', () => {
        firstByte = performance.now() - start;
      });
      answer.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject);
      answer.once('end', () => {
        const { statusCode: status = 0, headers, rawHeaders } = answer;
        const taken = performance.now() - start;
        resolve({ status, headers, rawHeaders, raw: Buffer.concat(chunks), firstByte, taken });
      });
    });
    request.once('error', reject);
    for (const piece of body.slice(0, -1)) request.write(piece);
    request.end(body.at(-1));
  });
}

/** Sends one request and drops the body, so that a large answer costs the load little; returns the status. */
export function askAndDrop(options: RequestOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', ...options }, (answer) => {
      answer.resume().once('error', reject);
      answer.once('end', () => resolve(answer.statusCode ?? 0));
    });
    request.once('error', reject).end();
  });
}

/** Like {@link ask}; any status but 200 is an error. */
export async function askWell(
  options: RequestOptions,
  ...body: readonly (string | Uint8Array)[]
): Promise<Answer> {
  const answer = await ask(options, ...body);
  if (answer.status !== 200) throw new Error(`${options.path}: ${answer.status}`);
  return answer;
}
