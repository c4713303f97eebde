import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { type Duration, seconds } from '@pinfold/core';

/** Options of {@link createS3Client}. */
export interface S3ClientOptions {
  /** Always needed, also where the server takes any: signatures name it. */
  readonly region: string;
  /** The server's URL; AWS itself when absent. */
  readonly endpoint?: string | undefined;
  /** Whether the bucket stands in the path, not in the host name; true when an endpoint is given. */
  readonly forcePathStyle?: boolean | undefined;
  /** As the AWS SDK finds them when absent: environment, shared files, instance or container role. */
  readonly credentials?: NonNullable<S3ClientConfig['credentials']> | undefined;
  /** How long a connection may take to be made; 3 seconds when absent. */
  readonly connectionTimeout?: Duration | undefined;
  /** How long a connection may be silent in either direction; 60 seconds when absent. */
  readonly socketTimeout?: Duration | undefined;
  /** Adds to the headers of each request before it is signed, such as the `traceparent` of what it is for. */
  readonly addHeaders?: ((headers: Record<string, string>) => void) | undefined;
  /** Connections at the most; 256 when absent. More than an `S3ArchiveStorage` uses at once. */
  readonly sockets?: number | undefined;
}

const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/**
 * Makes an S3 client with the settings that {@link S3ArchiveStorage} needs on every server it was tried on.
 * It is the caller's to `destroy()`.
 *
 * @example
 * import { createS3Client } from '@pinfold/storage-s3';
 *
 * const client = createS3Client({ region: 'eu-central-1', endpoint: 'https://objects.example.org' });
 */
export function createS3Client(options: S3ClientOptions): S3Client {
  const agent = { keepAlive: true, maxSockets: options.sockets ?? 256 };
  const client = new S3Client({
    region: options.region,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    ...(options.credentials === undefined ? {} : { credentials: options.credentials }),
    forcePathStyle: options.forcePathStyle ?? options.endpoint !== undefined,
    // Otherwise a stream goes out in signed chunks, which other servers refuse or store as they come.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Otherwise each larger upload opens a connection that is not counted, and hides why it was refused.
    expectContinueHeader: false,
    maxAttempts: 3,
    logger: SILENT,
    requestHandler: {
      connectionTimeout: options.connectionTimeout ?? seconds(3),
      socketTimeout: options.socketTimeout ?? seconds(60),
      // Without it, a request that takes too long is only warned of.
      throwOnRequestTimeout: true,
      // Plain options: with an agent of ours, an upload that is refused early comes out as EPIPE.
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
  if (options.addHeaders !== undefined) addOwnHeaders(client, options.addHeaders);
  return client;
}

function addOwnHeaders(client: S3Client, add: NonNullable<S3ClientOptions['addHeaders']>): void {
  client.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> };
      add(headers);
      return next(args);
    },
    { step: 'build', priority: 'low', name: 'ownHeaders' },
  );
}
