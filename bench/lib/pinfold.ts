import { join, resolve } from 'node:path';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { send } from '../tables/uploads.ts';
import { ask, askWell } from './http.ts';
import { freePort, NODE, type StartOptions, startServer } from './processes.ts';

/** Pinfold under measurement: the reference app, on SQLite and files by default, with one owner. */
export type PinfoldServer = Awaited<ReturnType<typeof startPinfold>>;

interface PinfoldOptions extends StartOptions {
  /** The script of `servers/` that it runs instead of `pinfold serve`. */
  readonly script?: string;
  /** The checkout that it is started from. */
  readonly checkout?: string;
  /** A module that Node loads first. */
  readonly preload?: string;
  /** The command that runs Node. */
  readonly prefix?: readonly string[];
}

const PASSWORD = 'a password for the bench';

/** Starts it on the servers' core, with its data in a folder; without a log file its log is silent. */
export async function startPinfold(
  folder: string,
  more: Readonly<Record<string, string>> = {},
  { script, checkout, preload, prefix = [], ...options }: PinfoldOptions = {},
) {
  const port = Number(more.PINFOLD_PORT ?? (await freePort()));
  const key = more.PINFOLD_API_KEY ?? new NodeApiKeySecrets().mint().text;
  const environment: Readonly<Record<string, string>> = {
    PINFOLD_PORT: String(port),
    PINFOLD_DATA_DIR: folder,
    PINFOLD_API_KEY: key,
    PINFOLD_WELCOME: 'off',
    PINFOLD_RATE_REQUESTS: 'off',
    PINFOLD_RATE_PUBLICATIONS: 'off',
    ...(options.log === undefined ? { PINFOLD_LOG_LEVEL: 'silent' } : {}),
    ...more,
  };
  const root = resolve(checkout ?? join(import.meta.dirname, '../..'));
  const command = [...prefix, ...NODE, ...(preload === undefined ? [] : ['--import', preload])];
  const serve = [join(root, 'packages/pinfold/src/main.ts'), 'serve'];
  const program = script === undefined ? serve : [join(root, 'bench/servers', script)];
  const server = await startServer([...command, ...program], environment, {
    ...options,
    ...(checkout === undefined ? {} : { cwd: root }),
  });
  const authorization = `Bearer ${key}`;
  const hostOf = (id: string) => `${id}.localhost:${port}`;
  return {
    ...server,
    port,
    authorization,
    environment,
    hostOf,
    /** Publishes an archive; returns the role's id. */
    publish: async (archive: Uint8Array<ArrayBuffer>, idempotencyKey: string): Promise<string> => {
      const { status, body } = await send({ port, authorization }, archive, idempotencyKey);
      if (status !== 201 && status !== 200) throw new Error(`publishing: ${status} ${body}`);
      return JSON.parse(body).pin.id;
    },
    /** Sets a password and returns the Cookie header of a viewer who knows it. */
    protect: async (id: string) => {
      const headers = { authorization, 'content-type': 'application/json' };
      const path = `/api/v1/pins/${id}`;
      await askWell({ port, path, method: 'PATCH', headers }, JSON.stringify({ password: PASSWORD }));
      return await enter(port, id, hostOf(id));
    },
  };
}

/** Enters the password like a viewer, follows the hand-over, and stores the cookie of the site's own origin. */
async function enter(port: number, id: string, host: string): Promise<string> {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const form = String(new URLSearchParams({ password: PASSWORD }));
  const entered = await ask({ port, path: `/s/${id}`, method: 'POST', headers: type }, form);
  const { pathname, search } = new URL(entered.headers.location ?? '');
  const { headers } = await ask({ port, path: `${pathname}${search}`, headers: { host } });
  return (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]).join('; ');
}
