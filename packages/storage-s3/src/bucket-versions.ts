import {
  GetBucketLifecycleConfigurationCommand,
  GetBucketVersioningCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { faultOf } from './s3-failure.ts';

/** Whether a bucket keeps what is deleted: `untold` where the store says nothing of it, or may not say it to us. */
export type BucketVersions = 'off' | 'untold' | 'kept' | 'kept_for_a_time';

/** Error codes of stores that do not support versions or do not show them. */
const UNTOLD: ReadonlySet<unknown> = new Set([400, 403, 405, 501]);

/** @throws Fault `storage_unavailable` when the store does not answer. */
export async function bucketVersions(
  client: Pick<S3Client, 'send'>,
  bucket: string,
): Promise<BucketVersions> {
  try {
    const { Status } = await client.send(new GetBucketVersioningCommand({ Bucket: bucket }));
    if (Status !== 'Enabled') return 'off';
    return (await hasEnd(client, bucket)) ? 'kept_for_a_time' : 'kept';
  } catch (error) {
    if (UNTOLD.has(statusOf(error))) return 'untold';
    throw faultOf(error, bucket);
  }
}

async function hasEnd(client: Pick<S3Client, 'send'>, bucket: string): Promise<boolean> {
  const command = new GetBucketLifecycleConfigurationCommand({ Bucket: bucket });
  try {
    const { Rules = [] } = await client.send(command);
    return Rules.some((rule) => rule.Status === 'Enabled' && rule.NoncurrentVersionExpiration !== undefined);
  } catch (error) {
    // A bucket without any rule has no configuration to give.
    if (statusOf(error) === 404) return false;
    throw error;
  }
}

function statusOf(error: unknown): unknown {
  const { $metadata } = (error ?? {}) as { readonly $metadata?: { readonly httpStatusCode?: unknown } };
  return $metadata?.httpStatusCode;
}
