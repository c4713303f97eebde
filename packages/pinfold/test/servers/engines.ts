import { join } from 'node:path';
import { type S3Server, type S3ServerOptions, startS3, startWire, type Wire } from 'pinfold-test-servers';
import { type NewDatabase, newDatabase } from './new-database.ts';
import { newFolder } from './new-folder.ts';

/** The engines that nodes share: an empty database and an empty bucket, each behind a connection that can be cut. */
export interface Engines {
  readonly database: NewDatabase;
  readonly databaseWire: Wire;
  readonly store: S3Server;
  readonly storeWire: Wire;
  /** The settings of a node, whose data folder has its name. */
  env(node: string): Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** The variables that the AWS SDK reads while engines run. */
export const CREDENTIALS: Readonly<Record<string, string>> = {
  AWS_ACCESS_KEY_ID: 'pinfold',
  AWS_SECRET_ACCESS_KEY: 'the secret of the bucket',
  // Otherwise it looks for credentials in a cloud.
  AWS_EC2_METADATA_DISABLED: 'true',
};

/** Starts engines, and sets the credentials for the AWS SDK. */
export async function startEngines(options: S3ServerOptions = {}): Promise<Engines> {
  const [folder, database, store] = await Promise.all([newFolder(), newDatabase(), startS3(options)]);
  await store.makeBucket('sites');
  const [databaseWire, storeWire] = await Promise.all([
    startWire(database.address.port),
    startWire(store.port),
  ]);
  Object.assign(process.env, CREDENTIALS);
  const endpoint = encodeURIComponent(`http://127.0.0.1:${storeWire.port}`);
  return {
    database,
    databaseWire,
    store,
    storeWire,
    env: (node) => ({
      PINFOLD_PORT: '0',
      PINFOLD_VIEWER_MODE: 'path',
      PINFOLD_DATA_DIR: join(folder, node),
      PINFOLD_DATABASE_URL: database.url({ port: databaseWire.port }),
      PINFOLD_STORAGE_URL: `s3://sites/pinfold?endpoint=${endpoint}`,
      PINFOLD_SECRET: 'the secret of all the nodes',
    }),
    close: async () => {
      for (const name of Object.keys(CREDENTIALS)) delete process.env[name];
      await Promise.all([databaseWire.cut(), storeWire.cut()]);
      await store.stop();
    },
  };
}
