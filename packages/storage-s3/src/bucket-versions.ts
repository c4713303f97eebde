import {
  GetBucketLifecycleConfigurationCommand,
  GetBucketVersioningCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { faultOf } from './s3-failure.ts';

/** Whether a bucket stores versions of deleted objects; `unknown` if the store does not support or show that. */
export type BucketVersions = 'off' | 'unknown' | 'permanent' | 'expiring';

/** Statuses of stores that do not support versions or do not show them. */
const UNSUPPORTED: ReadonlySet<unknown> = new Set([400, 403, 405, 501]);

/** @throws Fault `storage_unavailable` when the store does not answer. */
export async function bucketVersions(
  client: Pick<S3Client, 'send'>,
  bucket: string,
): Promise<BucketVersions> {
  try {
    const { Status } = await client.send(new GetBucketVersioningCommand({ Bucket: bucket }));
    if (Status !== 'Enabled') return 'off';
    return (await haveExpiration(client, bucket)) ? 'expiring' : 'permanent';
  } catch (error) {
    if (UNSUPPORTED.has(statusOf(error))) return 'unknown';
    throw faultOf(error, bucket);
  }
}

async function haveExpiration(client: Pick<S3Client, 'send'>, bucket: string): Promise<boolean> {
  const command = new GetBucketLifecycleConfigurationCommand({ Bucket: bucket });
  try {
    const { Rules = [] } = await client.send(command);
    return Rules.some((rule) => rule.Status === 'Enabled' && rule.NoncurrentVersionExpiration !== undefined);
  } catch (error) {
    // For a bucket without rules, the store answers 404.
    if (statusOf(error) === 404) return false;
    throw error;
  }
}

function statusOf(error: unknown): unknown {
  const { $metadata } = (error ?? {}) as { readonly $metadata?: { readonly httpStatusCode?: unknown } };
  return $metadata?.httpStatusCode;
}
