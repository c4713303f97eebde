import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountId } from '@pinfold/core';
import { tokens } from '@pinfold/inversify';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { type AppOptions, createApp, readSettings } from 'pinfold';
import { quietPort } from 'pinfold-test-servers';

/** What the API says of a pin, as far as the browser's suite asks. */
export interface PinJson {
  readonly id: string;
  readonly shared_url: string;
}

/** The whole service on a port of its own, with one owner. */
export interface Service {
  readonly url: string;
  /** Where it is for browsers that look names up elsewhere; else the same. */
  readonly publicUrl: string;
  /** The owner's API key. */
  readonly key: string;
  /** A sign-in link to the management screen, as the server prints one. */
  link(account: string): Promise<string>;
  publish(archive: Uint8Array<ArrayBuffer>, key: string): Promise<PinJson>;
  patch(id: string, change: Record<string, unknown>): Promise<void>;
  stop(id: string): Promise<void>;
  close(): Promise<void>;
}

/** What is set otherwise; `PORT` in a value stands for the port. */
type Otherwise = Readonly<Record<`PINFOLD_${string}`, string>>;

export async function openService(
  viewerMode: 'origin' | 'path',
  otherwise: Otherwise = {},
  options: AppOptions = {},
): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-service-'));
  // The public URL has to be known before the server listens.
  const port = await quietPort();
  const key = new NodeApiKeySecrets().mint().text;
  const app = await createApp(
    readSettings({
      PINFOLD_PORT: String(port),
      PINFOLD_DATA_DIR: folder,
      PINFOLD_VIEWER_MODE: viewerMode,
      PINFOLD_API_KEY: key,
      PINFOLD_WELCOME: 'off',
      PINFOLD_LOG_LEVEL: 'silent',
      ...Object.fromEntries(
        Object.entries(otherwise).map(([name, value]) => [name, value.replace('PORT', String(port))]),
      ),
    }),
    options,
  );
  const { addresses } = await app.listen();
  const url = `http://localhost:${port}`;
  const call = async (path: string, init: RequestInit, expected: number): Promise<Response> => {
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${key}` };
    const answer = await fetch(`${url}${path}`, { ...init, headers });
    if (answer.status !== expected)
      throw new Error(`${init.method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  return {
    key,
    url,
    publicUrl: addresses.publicUrl,
    link: async (account) => {
      const sessions = await app.container.getAsync(tokens.manageSessions);
      return `${addresses.publicUrl}/manage/sign-in?link=${(await sessions.offerLink(accountId(account))).token}`;
    },
    publish: async (archive, name) => {
      const form = new FormData();
      form.set('archive', new Blob([archive], { type: 'application/zip' }), 'site.zip');
      const headers = { 'idempotency-key': name };
      const answer = await call('/api/v1/pins', { method: 'POST', body: form, headers }, 201);
      return ((await answer.json()) as { pin: PinJson }).pin;
    },
    patch: async (id, change) => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify(change);
      await (await call(`/api/v1/pins/${id}`, { method: 'PATCH', body, headers }, 200)).body?.cancel();
    },
    stop: async (id) => {
      await call(`/api/v1/pins/${id}`, { method: 'DELETE' }, 204);
    },
    close: async () => {
      await app.close();
      await rm(folder, { recursive: true });
    },
  };
}
