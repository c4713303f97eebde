import { ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { NonsenseError } from './s3-failure.ts';

const MAX_KEYS = 1_000;

export interface KeyPage {
  readonly keys: readonly string[];
  readonly more: boolean;
}

export interface KeyRequest {
  readonly bucket: string;
  /** Ends in `/`: some servers omit keys when the whole bucket is listed. */
  readonly folder: string;
  /** Lists only keys after this one, which need not exist. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Lists keys of a folder. Fails on an answer that could make a listing incomplete or endless. */
export async function listKeys(
  client: Pick<S3Client, 'send'>,
  request: KeyRequest,
  options: { readonly abortSignal: AbortSignal; readonly requestTimeout: number },
): Promise<KeyPage> {
  const { bucket, folder, after, limit } = request;
  const command = new ListObjectsV2Command({
    Bucket: bucket,
    Prefix: folder,
    MaxKeys: Math.min(limit, MAX_KEYS),
    ...(after === undefined ? {} : { StartAfter: after }),
  });
  const { Contents, KeyCount, IsTruncated } = await client.send(command, options);
  if (KeyCount === undefined || IsTruncated === undefined) throw new NonsenseError('a listing without count');
  const keys = (Contents ?? []).map(({ Key }) => Key ?? '');
  if (IsTruncated && keys.length === 0) throw new NonsenseError('a truncated listing without keys');
  const ordered = keys.every((key, at) => key.startsWith(folder) && isAfter(key, keys[at - 1] ?? after));
  if (!ordered) throw new NonsenseError('a listing out of order');
  return { keys, more: IsTruncated };
}

/** Keys are ordered by their bytes. */
function isAfter(key: string, before: string | undefined): boolean {
  return before === undefined || Buffer.compare(Buffer.from(key), Buffer.from(before)) > 0;
}
