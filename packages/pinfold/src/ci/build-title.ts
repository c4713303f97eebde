import { defaultLimits, parseTitle } from '@pinfold/core';
import type { Environment } from '../settings/settings.ts';
import { findPullOrMergeRequest, readEvent } from './branch-name.ts';

const SEPARATOR = ' · ';
const COMMIT_DIGITS = 7;
/** Characters that a title must not have: control characters, lone surrogates and replacement characters. */
const FORBIDDEN = /[\p{Cc}\p{Cs}\u{FFFD}]/gu;

export function isCi({ CI, GITHUB_ACTIONS, GITLAB_CI }: Environment): boolean {
  return [CI, GITHUB_ACTIONS, GITLAB_CI].includes('true');
}

/** The title of a CI build: branch, commit and, if it fits, the page's title; `undefined` if all are unknown. */
export function createBuildTitle(pageTitle: string | undefined, env: Environment): string | undefined {
  const event = readEvent(env);
  const build = joinParts([findBranch(env, event), findCommit(env, event)?.slice(0, COMMIT_DIGITS)]);
  const withPageTitle = joinParts([build, pageTitle]);
  return isTitle(withPageTitle) ? withPageTitle : isTitle(build) ? build : undefined;
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

/** The branch or tag, or `pr-N`. */
function findBranch(env: Environment, event: unknown): string | undefined {
  const number = findPullOrMergeRequest(env, event);
  if (number !== undefined) return `pr-${number}`;
  // In these events GITHUB_REF_NAME is not a branch, but "12/merge".
  if (env.GITHUB_EVENT_NAME?.startsWith('pull_request')) return undefined;
  return env.GITHUB_REF_NAME || env.CI_COMMIT_BRANCH || env.CI_COMMIT_TAG;
}

/** For a pull request, the commit that was pushed: `GITHUB_SHA` is a merge commit that GitHub makes for the build. */
function findCommit({ GITHUB_SHA, CI_COMMIT_SHA }: Environment, event: unknown): string | undefined {
  const { pull_request: pull } = (event ?? {}) as { readonly pull_request?: { readonly head?: unknown } };
  const { sha } = (pull?.head ?? {}) as { readonly sha?: unknown };
  return typeof sha === 'string' && sha !== '' ? sha : GITHUB_SHA || CI_COMMIT_SHA;
}
