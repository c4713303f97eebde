import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { freePort, type RunningServer, startServer } from './processes.ts';

/** Pinfold under measurement: the reference app on SQLite and files, with one owner. */
export interface PinfoldServer extends RunningServer {
  readonly port: number;
  /** Publishes an archive; answers the role's id. */
  publish(archive: Uint8Array<ArrayBuffer>, key: string): Promise<string>;
  /** Sets a password and gives the Cookie header of a viewer who knows it. */
  protect(id: string): Promise<string>;
  hostOf(id: string): string;
  authorization: string;
}

interface StartOptions {
  /** The file of its log, as it is shipped; without one the log is silent. */
  readonly log?: string;
}

const PASSWORD = 'a password for the bench';

/** Starts it on the servers' core, with its data in a folder. */
export async function startPinfold(
  folder: string,
  environment: Readonly<Record<string, string>> = {},
  { log }: StartOptions = {},
): Promise<PinfoldServer> {
  const port = await freePort();
  const key = new NodeApiKeySecrets().mint().text;
  const script = join(import.meta.dirname, '../servers/pinfold.ts');
  const server = await startServer(
    [process.execPath, '--conditions=@pinfold/source', script],
    {
      PINFOLD_PORT: String(port),
      PINFOLD_DATA_DIR: folder,
      PINFOLD_API_KEY: key,
      PINFOLD_WELCOME: 'off',
      PINFOLD_RATE_REQUESTS: 'off',
      PINFOLD_RATE_PUBLICATIONS: 'off',
      ...(log === undefined ? { PINFOLD_LOG_LEVEL: 'silent' } : {}),
      ...environment,
    },
    log,
  );
  const authorization = `Bearer ${key}`;
  const hostOf = (id: string) => `${id}.localhost:${port}`;
  return {
    ...server,
    port,
    authorization,
    hostOf,
    publish: async (archive, idempotencyKey) => {
      const form = new FormData();
      form.set('archive', new Blob([archive], { type: 'application/zip' }), 'site.zip');
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/pins`, {
        method: 'POST',
        body: form,
        headers: { authorization, 'idempotency-key': idempotencyKey },
      });
      const body = (await answer.json()) as { pin?: { id: string } };
      if (body.pin === undefined) throw new Error(`publishing: ${answer.status} ${JSON.stringify(body)}`);
      return body.pin.id;
    },
    protect: async (id) => {
      const headers = { authorization, 'content-type': 'application/json' };
      const body = JSON.stringify({ password: PASSWORD });
      await fetch(`http://127.0.0.1:${port}/api/v1/pins/${id}`, { method: 'PATCH', body, headers });
      return await enter(port, id, hostOf(id));
    },
  };
}

/** Gives the password as a viewer does, follows the hand-over, and keeps the cookie of the site's own origin. */
async function enter(port: number, id: string, host: string): Promise<string> {
  const entered = await fetch(`http://127.0.0.1:${port}/s/${id}`, {
    method: 'POST',
    body: new URLSearchParams({ password: PASSWORD }),
    redirect: 'manual',
  });
  const target = new URL(entered.headers.get('location') ?? '');
  const handedOver = await new Promise<readonly string[]>((resolve, reject) => {
    const path = `${target.pathname}${target.search}`;
    httpRequest({ host: '127.0.0.1', port, path, headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.headers['set-cookie'] ?? []);
    })
      .on('error', reject)
      .end();
  });
  return handedOver.map((cookie) => cookie.split(';')[0]).join('; ');
}
