import { createHash } from 'node:crypto';
import type { PublishRequest } from '../publishing/publications.ts';
import type { Environment } from '../settings/settings.ts';

/**
 * Derives the Idempotency-Key of a job of GitHub Actions or GitLab CI: repeating the job in the same run publishes
 * once. `undefined` elsewhere.
 */
export function deriveRunKey(
  { filename, bytes, title, name, password }: Omit<PublishRequest, 'idempotencyKey'>,
  env: Environment,
): string | undefined {
  const run = identifyRun(env);
  if (run === undefined) return undefined;
  const identity = [sha256(bytes), filename, title, name, password !== undefined, ...run];
  return `ci-${sha256(JSON.stringify(identity))}`;
}

function identifyRun(env: Environment): readonly string[] | undefined {
  const { GITHUB_RUN_ID, GITHUB_JOB, CI_PIPELINE_ID, CI_JOB_NAME } = env;
  if (GITHUB_RUN_ID && GITHUB_JOB) return ['github', GITHUB_RUN_ID, GITHUB_JOB];
  return CI_PIPELINE_ID && CI_JOB_NAME ? ['gitlab', CI_PIPELINE_ID, CI_JOB_NAME] : undefined;
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
