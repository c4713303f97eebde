// The servers of the table `serving`: Pinfold in three forms, what people serve folders with, and the limit of the runtime.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PinfoldServer, startPinfold } from './pinfold.ts';
import { isThere, type RunningServer } from './processes.ts';
import { type Site, writeSite, zipOf } from './sites.ts';
import { type Candidate, get, startPeer } from './views.ts';

const PEERS = ['express-static', 'sirv', 'fastify-static', ...['nginx', 'caddy'].filter(isThere)];
/** The paths that are requested from every server. */
export const SMALL = '/index.html';
export const STYLE = '/swagger-ui.css';
export const LARGE = '/swagger-ui-bundle.js';

/** The server as it is shipped, its log in a file: a public site, one with a password; and the server with its log silent. */
export async function startOurs(
  folder: string,
  site: Site,
  running: RunningServer[],
): Promise<readonly [Shipped, Candidate, Candidate]> {
  const archive = zipOf(site);
  const shipped = await startPinfold(join(folder, 'data'), {}, { log: join(folder, 'log') });
  const quiet = await startPinfold(join(folder, 'quiet'));
  running.push(shipped, quiet);
  const locked = await shipped.publish(archive, 'locked');
  const cookie = await shipped.protect(locked);
  const open = async (name: string, server: PinfoldServer) => {
    const headers = { Host: server.hostOf(await server.publish(archive, 'open')) };
    return { name, server, port: server.port, headers };
  };
  const headers = { Host: shipped.hostOf(locked), Cookie: cookie };
  return [
    await open('pinfold', shipped),
    await open('silent', quiet),
    { name: 'protected', server: shipped, port: shipped.port, headers },
  ];
}

export interface Shipped extends Candidate {
  readonly server: PinfoldServer;
}

export async function startPeers(
  folder: string,
  site: Site,
  running: RunningServer[],
): Promise<readonly Candidate[]> {
  const ROOT = join(folder, 'site');
  await writeSite(site, ROOT);
  const peers: Candidate[] = [];
  for (const name of PEERS) peers.push(await startPeer(name, folder, { ROOT }));
  running.push(...peers.map(({ server }) => server));
  return peers;
}

/** Bare `node:http`, which answers from memory with the same bytes and headers as Pinfold; one gathers those of a turn. */
export async function startBare(
  pinfold: Candidate,
  folder: string,
  running: RunningServer[],
): Promise<readonly [bare: Candidate, gathering: Candidate]> {
  const ANSWERS = join(folder, 'answers.json');
  const answers: Record<string, object> = {};
  for (const path of [SMALL, STYLE, LARGE]) {
    const whole = await get(pinfold, path);
    const unchanged = await get(pinfold, path, { 'If-None-Match': whole.etag ?? '' });
    const { headers, raw, etag } = whole;
    answers[path] = { etag, headers, body: raw.toString('latin1'), unchanged: unchanged.headers };
  }
  await writeFile(ANSWERS, JSON.stringify(answers));
  const bare = await startPeer('bare-http', folder, { ANSWERS });
  const gathering = {
    ...(await startPeer('bare-http', folder, { ANSWERS, GATHER: 'yes' })),
    name: 'gathering',
  };
  running.push(bare.server, gathering.server);
  return [bare, gathering];
}

/** Speed means nothing if the bytes differ: every candidate must answer with the content of the site. */
export async function checkBytes(candidate: Candidate, site: Site): Promise<void> {
  for (const path of [SMALL, STYLE, LARGE]) {
    const { status, body } = await get(candidate, path);
    const expected = Buffer.from(site[path.slice(1)] ?? []);
    if (status !== 200 || !body.equals(expected)) {
      throw new Error(`${candidate.name} answers ${path} with ${status} and other bytes`);
    }
  }
}
