import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** How often others ask: so many requests a second, whether the ones before were answered or not. */
const A_SECOND = 100;
/** How long they wait for an answer; one that does not come counts as this long. */
const PATIENCE = 30_000;
/** Of their own, so that the server can tell them from the attacker. */
const ADDRESS = '127.0.0.2';

/** Views a page for some seconds as others do, meanwhile; milliseconds to each whole answer from when it was due. */
export async function othersView(port: number, host: string, seconds: number): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const start = performance.now();
  const views: Promise<number>[] = [];
  for (let n = 0; n < seconds * A_SECOND; n += 1) {
    const due = start + (n * 1_000) / A_SECOND;
    await pause(Math.max(0, due - performance.now()));
    views.push(view(agent, port, host, due));
  }
  const taken = await Promise.all(views);
  agent.destroy();
  return taken;
}

function view(agent: Agent, port: number, host: string, due: number): Promise<number> {
  const headers = { host, 'accept-encoding': 'gzip' };
  const where = { host: '127.0.0.1', localAddress: ADDRESS, port, path: '/', headers, agent };
  return new Promise((resolve) => {
    const request = httpRequest({ ...where, signal: AbortSignal.timeout(PATIENCE) }, (answer) => {
      answer
        .resume()
        .once('end', () => resolve(answer.statusCode === 200 ? performance.now() - due : PATIENCE));
    });
    request.once('error', () => resolve(PATIENCE)).end();
  });
}

/** The value that 99 of 100 stay below. */
export function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN;
}
