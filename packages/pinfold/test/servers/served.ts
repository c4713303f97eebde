import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, type AppOptions, createApp, type Listening, readSettings } from '../../src/index.ts';

/** A server in this process, with a data folder of its own. */
export interface Served extends Listening {
  readonly app: App;
  readonly folder: string;
  readonly url: string;
  /** The key of the first start; empty when the settings gave one. */
  readonly key: string;
  close(): Promise<void>;
}

/** Starts a server on a free port, without a welcome site. */
export async function serve(
  env: Readonly<Record<string, string>> = {},
  options: AppOptions = {},
): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-served-'));
  const usual = { PINFOLD_PORT: '0', PINFOLD_DATA_DIR: folder, PINFOLD_WELCOME: 'off' };
  const app = await createApp(readSettings({ ...usual, ...env }), { log: () => undefined, ...options });
  const listening = await app.listen().catch(async (error: unknown) => {
    await app.close();
    await rm(folder, { recursive: true });
    throw error;
  });
  return {
    ...listening,
    app,
    folder,
    url: listening.addresses.publicUrl,
    key: listening.firstStart?.apiKey ?? '',
    close: async () => {
      await app.close();
      await rm(folder, { recursive: true });
    },
  };
}
