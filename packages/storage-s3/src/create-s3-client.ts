import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { type Duration, seconds } from '@pinfold/core';

/** Options of {@link createS3Client}. */
export interface S3ClientOptions {
  /** Required even if the server accepts any, since signatures contain it. */
  readonly region: string;
  /** The server's URL. Default: AWS. */
  readonly endpoint?: string | undefined;
  /** Whether the bucket is in the path rather than the host name. Default: true if an endpoint is given. */
  readonly forcePathStyle?: boolean | undefined;
  /** Default: as the AWS SDK finds them, from the environment, shared files, or an instance or container role. */
  readonly credentials?: NonNullable<S3ClientConfig['credentials']> | undefined;
  /** The longest time to connect. Default 3 seconds. */
  readonly connectionTimeout?: Duration | undefined;
  /** The longest time without a byte in either direction. Default 60 seconds. */
  readonly socketTimeout?: Duration | undefined;
  /** Adds headers to each request before it is signed, such as `traceparent`. */
  readonly addHeaders?: ((headers: Record<string, string>) => void) | undefined;
  /** Maximum connections; must be more than the `parallel` calls of an `S3ArchiveStorage`. Default 256. */
  readonly sockets?: number | undefined;
}

const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/**
 * Creates an S3 client with the settings that {@link S3ArchiveStorage} needs on all tested servers. The caller must
 * `destroy()` it.
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
    // Otherwise a stream is sent in signed chunks, which some servers refuse, or store with their signatures.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Otherwise each larger upload opens a connection that is not counted, and hides the reason of a refusal.
    expectContinueHeader: false,
    maxAttempts: 3,
    logger: SILENT,
    requestHandler: {
      connectionTimeout: options.connectionTimeout ?? seconds(3),
      socketTimeout: options.socketTimeout ?? seconds(60),
      // Otherwise the SDK only warns of a timeout.
      throwOnRequestTimeout: true,
      // Plain options: with an own agent, an upload that is refused early would fail with EPIPE.
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
