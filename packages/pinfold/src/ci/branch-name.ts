import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readName } from '../command-line/arguments.ts';
import { type FlagOption, flagOption } from '../command-line/command.ts';
import { UsageError } from '../command-line/failures.ts';
import type { Environment } from '../settings/settings.ts';

/** Room for `-` and eight digits in a name of at most 63 characters. */
const MAX_CHARACTERS = 54;
const DIGITS = 8;

/** The option of commands that take {@link nameToPublish}. */
export const TO_BRANCH: FlagOption = flagOption(
  'in CI: the name of the branch, or pr-N for pull or merge request N',
);

/** The name that a command is about; `undefined` if none is given. Messages call it by `option`. */
export function nameToPublish(
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
  const name = nameForBuild(env, readEvent(env));
  if (name !== undefined) return name;
  throw new UsageError(
    `--to-branch needs a job of GitHub Actions or GitLab CI for a branch, a pull request or a merge request; give ${option}`,
  );
}

/** The name for the branch or request that a job of GitHub or GitLab builds; `undefined` for a tag and elsewhere. */
export function nameForBuild(env: Environment, event: unknown): string | undefined {
  const number = pullOrMergeRequestOf(env, event);
  if (number !== undefined) return `pr-${number}`;
  // There GITHUB_REF_NAME is no branch, but "12/merge".
  if (env.GITHUB_EVENT_NAME?.startsWith('pull_request')) return undefined;
  const branch = env.GITHUB_REF_TYPE === 'branch' ? env.GITHUB_REF_NAME : env.CI_COMMIT_BRANCH;
  return branch ? nameForBranch(branch) : undefined;
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
export function pullOrMergeRequestOf(env: Environment, event: unknown): number | string | undefined {
  return pullRequestOf(event) ?? mergeRequestOf(env);
}

function pullRequestOf(event: unknown): number | undefined {
  const { number } = (event ?? {}) as { readonly number?: unknown };
  return Number.isSafeInteger(number) && Number(number) > 0 ? Number(number) : undefined;
}

function mergeRequestOf({ CI_MERGE_REQUEST_IID: number }: Environment): string | undefined {
  return number !== undefined && /^[1-9]\d{0,14}$/.test(number) ? number : undefined;
}

function nameForBranch(branch: string): string {
  const name = trimmed(branch.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-'));
  // Other letters than A to Z have lower-case forms in this range, too: the Kelvin sign is one.
  const isSame = name === branch.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (isSame && name.length <= MAX_CHARACTERS && !/^pr-\d+$/.test(name)) return name;
  const digest = createHash('sha256').update(branch).digest('hex').slice(0, DIGITS);
  const beginning = trimmed(name.slice(0, MAX_CHARACTERS));
  return beginning === '' ? digest : `${beginning}-${digest}`;
}

function trimmed(name: string): string {
  return name.replaceAll(/^-+|(?<!-)-+$/g, '');
}
