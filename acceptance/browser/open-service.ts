import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Change, type Pin, PinfoldClient } from '@pinfold/client';
import { accountId } from '@pinfold/core';
import { tokens } from '@pinfold/inversify';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { type AppOptions, createApp, readSettings } from 'pinfold';
import { quietPort } from 'pinfold-test-servers';
import { testModule } from '../service/test-module.ts';
import { closeAfterwards } from './closing.ts';

/** The whole service on a port of its own, with one owner. */
export interface Service {
  readonly url: string;
  /** The public URL. It differs from `url` if a test sets one that its browser resolves to this machine. */
  readonly publicUrl: string;
  /** The owner's API key. */
  readonly key: string;
  /** A sign-in link to the management screen, as the server prints one. */
  link(account: string): Promise<string>;
  publish(archive: Uint8Array<ArrayBuffer>, key: string): Promise<Pin>;
  patch(id: string, change: Change): Promise<void>;
  stop(id: string): Promise<void>;
}

/** Settings that differ; `PORT` in a value stands for the port. */
type OtherSettings = Readonly<Record<`PINFOLD_${string}`, string>>;

export async function openService(
  viewerMode: 'origin' | 'path',
  otherSettings: OtherSettings = {},
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
        Object.entries(otherSettings).map(([name, value]) => [name, value.replace('PORT', String(port))]),
      ),
    }),
    { modules: [testModule()], ...options },
  );
  const { addresses } = await app.listen();
  closeAfterwards(async () => {
    await app.close();
    await rm(folder, { recursive: true });
  });
  const url = `http://localhost:${port}`;
  const client = new PinfoldClient({ url, key });
  return {
    key,
    url,
    publicUrl: addresses.publicUrl,
    link: async (account) => {
      const sessions = await app.container.getAsync(tokens.manageSessions);
      return `${addresses.publicUrl}/manage/sign-in?link=${(await sessions.offerLink(accountId(account))).token}`;
    },
    publish: async (archive, idempotencyKey) => {
      const { pin } = await client.publish(archive, { filename: 'site.zip', idempotencyKey });
      return pin;
    },
    patch: async (id, change) => void (await client.update(id, change)),
    stop: (id) => client.stop(id),
  };
}
