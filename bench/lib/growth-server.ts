import type { OutgoingHttpHeaders } from 'node:http';
import type { CleanUpReport } from '@pinfold/core';
import { agent, askWell } from './http.ts';
import { signIn } from './person.ts';
import { type PinfoldServer, startPinfold } from './pinfold.ts';

/** The reference server on any database and storage, with every way of asking that the growth table measures. */
export interface GrowthServer extends PinfoldServer {
  /** One request of each kind; milliseconds to the whole answer. */
  read(id: string): Promise<number>;
  list(): Promise<number>;
  view(id: string): Promise<number>;
  /** A page of the history, under a query. */
  events(query: string): Promise<number>;
  rename(id: string, title: string): Promise<number>;
  /** A page of the management screen. */
  manage(page?: string): Promise<number>;
  /** What a cleanup did, and the longest that the event loop was late meanwhile, in milliseconds. */
  cleanUp(): Promise<{ readonly report: CleanUpReport; readonly longestDelay: number }>;
}

/** Starts one on a core, or on any. */
export async function startGrowthServer(
  folder: string,
  environment: Readonly<Record<string, string>>,
  core: number | undefined,
): Promise<GrowthServer> {
  const secret = { PINFOLD_SECRET: 'the secret of all the nodes', ...environment };
  const server = await startPinfold(folder, secret, { script: 'growth.ts', core, answers: true });
  const { port, authorization, hostOf } = server;
  const link = new URL(await server.ask<string>('sign-in link'));
  const person = await signIn(port, { link: link.searchParams.get('link') ?? '' }, link.search);
  const timed = async (path: string, headers: OutgoingHttpHeaders, title?: string): Promise<number> => {
    const body = title === undefined ? undefined : JSON.stringify({ title });
    const method = body === undefined ? 'GET' : 'PATCH';
    return (await askWell({ port, path, method, headers, agent }, body ?? '')).taken;
  };
  const pins = '/api/v1/pins';
  return {
    ...server,
    read: (id) => timed(`${pins}/${id}`, { authorization }),
    list: () => timed(pins, { authorization }),
    view: (id) => timed('/', { host: hostOf(id), 'accept-encoding': 'gzip' }),
    events: (query) => timed(`/api/v1/events${query}`, { authorization }),
    rename: (id, title) =>
      timed(`${pins}/${id}`, { authorization, 'content-type': 'application/json' }, title),
    manage: async (page = '') => {
      const { status, taken } = await person.get(`/${page}`);
      if (status !== 200) throw new Error(`/manage/${page}: ${status}`);
      return taken;
    },
    cleanUp: () => server.ask('clean up'),
  };
}
