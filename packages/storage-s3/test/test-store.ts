import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { S3Client } from '@aws-sdk/client-s3';
import { createS3Client, type S3ClientOptions } from '@pinfold/storage-s3';
import { buildApp } from 'fauxqs';

/** A store with S3's protocol over HTTP, with a bucket in it. */
export interface TestStore {
  readonly bucket: string;
  /** The settings for creating its client. */
  readonly options: S3ClientOptions;
  readonly client: S3Client;
  /** The maximum number of bytes that it accepts at once, if its limit is low. */
  readonly largest?: number;
  /** A new prefix. */
  newPrefix(): string;
  close(): Promise<void>;
}

const CREDENTIALS = { accessKeyId: 'pinfold', secretAccessKey: 'a secret that no one checks' };

/**
 * Opens the store named by PINFOLD_TEST_S3, `s3://bucket/prefix?endpoint=…&region=…&path_style=true` with
 * credentials as the AWS SDK finds them; without that variable, one in this process.
 */
export async function openTestStore(): Promise<TestStore> {
  const named = process.env.PINFOLD_TEST_S3;
  return named === undefined ? await openFake() : openNamed(new URL(named));
}

function openNamed(url: URL): TestStore {
  const [endpoint, pathStyle] = [url.searchParams.get('endpoint'), url.searchParams.get('path_style')];
  const options: S3ClientOptions = {
    region: url.searchParams.get('region') ?? 'us-east-1',
    ...(endpoint === null ? {} : { endpoint }),
    ...(pathStyle === null ? {} : { forcePathStyle: pathStyle === 'true' }),
  };
  return storeOn(options, url.hostname, url.pathname.slice(1) || 'pinfold-tests', async () => {});
}

async function openFake(): Promise<TestStore> {
  const app = buildApp({ logger: false });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const endpoint = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  await fetch(`${endpoint}/pinfold-tests`, { method: 'PUT' });
  const options = { region: 'us-east-1', endpoint, credentials: CREDENTIALS };
  const store = storeOn(options, 'pinfold-tests', 'tests', async () => {
    await app.close();
  });
  return { ...store, largest: app.initialConfig.bodyLimit ?? 0 };
}

function storeOn(
  options: S3ClientOptions,
  bucket: string,
  prefix: string,
  stop: () => Promise<void>,
): TestStore {
  const client = createS3Client(options);
  return {
    bucket,
    options,
    client,
    newPrefix: () => `${prefix}/${randomUUID()}`,
    close: async () => {
      client.destroy();
      await stop();
    },
  };
}
