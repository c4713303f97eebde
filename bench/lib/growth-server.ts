import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request as httpRequest, type RequestOptions } from 'node:http';
import { join } from 'node:path';
import type { CleanUpReport } from '@pinfold/core';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { freePort, pinned, stop } from './processes.ts';

/** The reference server on any database and storage, with every way of asking that the growth table measures. */
export interface GrowthServer {
  readonly process: ChildProcess;
  readonly port: number;
  readonly authorization: string;
  /** One request of each kind; milliseconds to the whole answer. */
  read(id: string): Promise<number>;
  list(): Promise<number>;
  view(id: string): Promise<number>;
  /** A page of the history, under a query. */
  events(query: string): Promise<number>;
  rename(id: string, title: string): Promise<number>;
  /** A page of the management screen. */
  manage(page?: string): Promise<number>;
  cleanUp(): Promise<CleanedUp>;
  stop(): Promise<void>;
}

/** What a cleanup did, and the longest that the event loop was late meanwhile, in milliseconds. */
export interface CleanedUp {
  readonly report: CleanUpReport;
  readonly longestDelay: number;
}

/** Starts one on a core, or on any. */
export async function startGrowthServer(
  folder: string,
  environment: Readonly<Record<string, string>>,
  core: number | undefined,
): Promise<GrowthServer> {
  const port = await freePort();
  const key = environment.PINFOLD_API_KEY ?? new NodeApiKeySecrets().mint().text;
  const { child, said } = await startTalking('growth.ts', core, {
    PINFOLD_PORT: String(port),
    PINFOLD_DATA_DIR: folder,
    PINFOLD_API_KEY: key,
    PINFOLD_WELCOME: 'off',
    PINFOLD_RATE_REQUESTS: 'off',
    PINFOLD_RATE_PUBLICATIONS: 'off',
    PINFOLD_LOG_LEVEL: 'silent',
    PINFOLD_SECRET: 'the secret of all the nodes',
    ...environment,
  });
  const { signInLink } = said as { readonly signInLink: string };
  const authorization = `Bearer ${key}`;
  const cookie = await signIn(signInLink);
  const ask = (path: string, headers: Readonly<Record<string, string>>) => timed(port, path, headers);
  return {
    process: child,
    port,
    authorization,
    read: (id) => ask(`/api/v1/pins/${id}`, { authorization }),
    list: () => ask('/api/v1/pins', { authorization }),
    view: (id) => ask('/', { host: `${id}.localhost:${port}`, 'accept-encoding': 'gzip' }),
    events: (query) => ask(`/api/v1/events${query}`, { authorization }),
    rename: (id, title) => {
      const headers = { authorization, 'content-type': 'application/json' };
      return timed(port, `/api/v1/pins/${id}`, headers, 'PATCH', JSON.stringify({ title }));
    },
    manage: (page = '') => ask(`/manage/${page}`, { cookie, host: `localhost:${port}` }),
    cleanUp: async () => {
      const answer = once(child, 'message');
      child.send('clean up');
      const [cleanedUp] = (await answer) as [CleanedUp];
      return cleanedUp;
    },
    stop: () => stop(child),
  };
}

/** Starts a script of `servers/` that says one thing when it is ready. */
export async function startTalking(
  script: string,
  core: number | undefined,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly child: ChildProcess; readonly said: unknown }> {
  const file = join(import.meta.dirname, '../servers', script);
  const command = [
    process.execPath,
    '--conditions=@pinfold/source',
    '--disable-warning=ExperimentalWarning',
    file,
  ];
  const [program = '', ...args] = core === undefined ? command : pinned(core, command);
  const child = spawn(program, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [said] = await Promise.race([once(child, 'message'), failed(child)]);
  return { child, said };
}

async function failed(child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'exit');
  throw new Error(`a server ended with ${code}`);
}

/** Signs in to the management screen by its link, and keeps the cookies. */
async function signIn(link: string): Promise<string> {
  const cookies = new Map<string, string>();
  const visit = async (init: RequestInit): Promise<string> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(link, { ...init, redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';', 1)[0]?.split('=') ?? [];
      cookies.set(name, value);
    }
    return await answer.text();
  };
  const form = /name="form" value="([^"]+)"/.exec(await visit({}))?.[1] ?? '';
  const token = new URL(link).searchParams.get('link') ?? '';
  await visit({ method: 'POST', body: new URLSearchParams({ form, link: token }) });
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

const agent = new Agent({ keepAlive: true });

/** Asks once over a kept connection; anything but 200 is an error. */
function timed(
  port: number,
  path: string,
  headers: NonNullable<RequestOptions['headers']>,
  method = 'GET',
  body?: string,
): Promise<number> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent }, (answer) => {
      answer.resume().once('end', () => {
        if (answer.statusCode === 200) resolve(performance.now() - start);
        else reject(new Error(`${path}: ${answer.statusCode}`));
      });
    });
    request.once('error', reject).end(body);
  });
}
