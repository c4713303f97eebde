import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { defaultLimits, parseTitle } from '@pinfold/core';
import { readName } from '../command-line/arguments.ts';
import { type FlagOption, flagOption } from '../command-line/command.ts';
import { UsageError } from '../command-line/failures.ts';
import type { PublishRequest } from '../publishing/publications.ts';
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
  const branch = env.GITHUB_REF_TYPE === 'branch' ? env.GITHUB_REF_NAME : env.CI_COMMIT_BRANCH;
  return requestNameOr(branch ? deriveBranchName(branch) : undefined, env, event);
}

/** `pr-N` if a job builds pull or merge request N, else the given branch. */
function requestNameOr(branch: string | undefined, env: Environment, event: unknown): string | undefined {
  const number = findPullRequest(event) ?? findMergeRequest(env);
  if (number !== undefined) return `pr-${number}`;
  // In these events GITHUB_REF_NAME is not a branch, but "12/merge".
  return env.GITHUB_EVENT_NAME?.startsWith('pull_request') ? undefined : branch;
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
  const digest = sha256(branch).slice(0, DIGEST_DIGITS);
  const beginning = trimHyphens(name.slice(0, MAX_CHARACTERS));
  return beginning === '' ? digest : `${beginning}-${digest}`;
}

function trimHyphens(name: string): string {
  return name.replaceAll(/^-+|(?<!-)-+$/g, '');
}

const SEPARATOR = ' · ';
const COMMIT_DIGITS = 7;
/** Characters that a title must not have: control characters, lone surrogates and replacement characters. */
const FORBIDDEN = /[\p{Cc}\p{Cs}\u{FFFD}]/gu;

export function isCi({ CI, GITHUB_ACTIONS, GITLAB_CI }: Environment): boolean {
  return [CI, GITHUB_ACTIONS, GITLAB_CI].includes('true');
}

/**
 * The title of a CI build: branch, commit and, if it fits, the page's title, without a branch that does not fit;
 * `undefined` if all are unknown.
 */
export function createBuildTitle(pageTitle: string | undefined, env: Environment): string | undefined {
  const event = readEvent(env);
  const branchOrTag = env.GITHUB_REF_NAME || env.CI_COMMIT_BRANCH || env.CI_COMMIT_TAG;
  const commit = findCommit(env, event)?.slice(0, COMMIT_DIGITS);
  const branch = requestNameOr(branchOrTag, env, event);
  return [[branch, commit, pageTitle], [branch, commit], [commit, pageTitle], [commit]]
    .map(joinParts)
    .find(isTitle);
}

function joinParts(parts: readonly (string | undefined)[]): string {
  return parts
    .map((part = '') => part.replaceAll(FORBIDDEN, '').trim())
    .filter((part) => part !== '')
    .join(SEPARATOR);
}

function isTitle(text: string): boolean {
  return typeof parseTitle(text, defaultLimits) === 'string';
}

/** For a pull request, the commit that was pushed: `GITHUB_SHA` is a merge commit that GitHub makes for the build. */
function findCommit({ GITHUB_SHA, CI_COMMIT_SHA }: Environment, event: unknown): string | undefined {
  const { pull_request: pull } = (event ?? {}) as { readonly pull_request?: { readonly head?: unknown } };
  const { sha } = (pull?.head ?? {}) as { readonly sha?: unknown };
  return typeof sha === 'string' && sha !== '' ? sha : GITHUB_SHA || CI_COMMIT_SHA;
}

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
