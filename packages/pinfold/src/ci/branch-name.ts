import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readName } from '../command-line/arguments.ts';
import { type FlagOption, flagOption } from '../command-line/command.ts';
import { UsageError } from '../command-line/failures.ts';
import type { Environment } from '../settings/settings.ts';

/** Leaves room for `-` and eight digits in a name of at most 63 characters. */
const MAX_CHARACTERS = 54;
const DIGEST_DIGITS = 8;

/** The option `--to-branch`, which {@link readNameToPublish} reads. */
export const TO_BRANCH: FlagOption = flagOption(
  'in CI: the name of the branch, or pr-N for pull or merge request N',
);

/** The name to publish to, from `--to` or the build; `undefined` without one. Messages call the argument `option`. */
export function readNameToPublish(
  {
    to,
    'to-branch': toBranch,
  }: { readonly to?: string | undefined; readonly 'to-branch'?: boolean | undefined },
  option: string,
  env: Environment,
): string | undefined {
  if (to !== undefined && toBranch) throw new UsageError(`${option} cannot be used with --to-branch`);
  if (to !== undefined) return readName(to, option);
  if (!toBranch) return undefined;
  const name = deriveBuildName(env, readEvent(env));
  if (name !== undefined) return name;
  throw new UsageError(
    `--to-branch needs a job of GitHub Actions or GitLab CI for a branch, a pull request or a merge request; give ${option}`,
  );
}

/** The name for the branch or request that a CI job builds; `undefined` for a tag, or without a job. */
export function deriveBuildName(env: Environment, event: unknown): string | undefined {
  const number = findPullOrMergeRequest(env, event);
  if (number !== undefined) return `pr-${number}`;
  // In these events GITHUB_REF_NAME is not a branch, but "12/merge".
  if (env.GITHUB_EVENT_NAME?.startsWith('pull_request')) return undefined;
  const branch = env.GITHUB_REF_TYPE === 'branch' ? env.GITHUB_REF_NAME : env.CI_COMMIT_BRANCH;
  return branch ? deriveBranchName(branch) : undefined;
}

/** Reads the payload of the event that started a job of GitHub Actions; `undefined` elsewhere. */
export function readEvent({ GITHUB_EVENT_PATH }: Environment): unknown {
  if (!GITHUB_EVENT_PATH) return undefined;
  try {
    return JSON.parse(readFileSync(GITHUB_EVENT_PATH, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'syscall' in error)) return undefined;
    throw error;
  }
}

/** The number of the pull or merge request that a job builds. */
export function findPullOrMergeRequest(env: Environment, event: unknown): number | string | undefined {
  return findPullRequest(event) ?? findMergeRequest(env);
}

function findPullRequest(event: unknown): number | undefined {
  const { number } = (event ?? {}) as { readonly number?: unknown };
  return Number.isSafeInteger(number) && Number(number) > 0 ? Number(number) : undefined;
}

function findMergeRequest({ CI_MERGE_REQUEST_IID: number }: Environment): string | undefined {
  return number !== undefined && /^[1-9]\d{0,14}$/.test(number) ? number : undefined;
}

function deriveBranchName(branch: string): string {
  const name = trimHyphens(branch.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-'));
  // Some letters outside A to Z become a to z in lower case, such as the Kelvin sign: two branches would get one name.
  const isUnchanged = name === branch.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (isUnchanged && name.length <= MAX_CHARACTERS && !/^pr-\d+$/.test(name)) return name;
  const digest = createHash('sha256').update(branch).digest('hex').slice(0, DIGEST_DIGITS);
  const beginning = trimHyphens(name.slice(0, MAX_CHARACTERS));
  return beginning === '' ? digest : `${beginning}-${digest}`;
}

function trimHyphens(name: string): string {
  return name.replaceAll(/^-+|(?<!-)-+$/g, '');
}
