import type { OutgoingHttpHeaders } from 'node:http';
import type { CleanUpReport } from '@pinfold/core';
import { agent, askWell } from './http.ts';
import { signIn } from './person.ts';
import { startPinfold } from './pinfold.ts';

/** The reference server on any database and storage, with every request that the growth table measures. */
export type GrowthServer = Awaited<ReturnType<typeof startGrowthServer>>;

/** Starts one on a core, or on any. */
export async function startGrowthServer(
  folder: string,
  environment: Readonly<Record<string, string>>,
  core: number | undefined,
) {
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
  /** Cleans up. Returns the report and the longest delay of the event loop meanwhile, in milliseconds. */
  const cleanUp = () =>
    server.ask<{ readonly report: CleanUpReport; readonly longestDelay: number }>('clean up');
  return {
    ...server,
    cleanUp,
    // One request of each kind; milliseconds to the whole answer.
    read: (id: string) => timed(`${pins}/${id}`, { authorization }),
    list: () => timed(pins, { authorization }),
    view: (id: string) => timed('/', { host: hostOf(id), 'accept-encoding': 'gzip' }),
    events: (query: string) => timed(`/api/v1/events${query}`, { authorization }),
    rename: (id: string, title: string) =>
      timed(`${pins}/${id}`, { authorization, 'content-type': 'application/json' }, title),
    /** Searches in the screen until the end of the list; how many pages it takes. */
    search: async (text: string): Promise<number> => {
      let path = `/?${new URLSearchParams({ q: text })}`;
      for (let pages = 1; ; pages += 1) {
        const { status, raw } = await person.get(path);
        if (status !== 200) throw new Error(`${path}: ${status}`);
        const [, next] = /rel="next" href="\/manage([^"]+)"/.exec(String(raw)) ?? [];
        if (next === undefined) return pages;
        path = next.replaceAll('&amp;', '&');
      }
    },
    manage: async (page = '') => {
      const { status, taken } = await person.get(`/${page}`);
      if (status !== 200) throw new Error(`/manage/${page}: ${status}`);
      return taken;
    },
  };
}
