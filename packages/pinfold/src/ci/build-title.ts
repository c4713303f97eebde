import { defaultLimits, parseTitle } from '@pinfold/core';
import type { Environment } from '../settings/settings.ts';
import { pullOrMergeRequestOf, readEvent } from './branch-name.ts';

const SEPARATOR = ' · ';
const COMMIT_DIGITS = 7;
/** What no title may have: control characters, lone surrogates and replacement characters. */
const REFUSED = /[\p{Cc}\p{Cs}\u{FFFD}]/gu;

export function isCi({ CI, GITHUB_ACTIONS, GITLAB_CI }: Environment): boolean {
  return [CI, GITHUB_ACTIONS, GITLAB_CI].includes('true');
}

/** The title of a publication in CI: branch and commit, and the page's own where it fits; `undefined` if none. */
export function titleOfBuild(pageTitle: string | undefined, env: Environment): string | undefined {
  const event = readEvent(env);
  const build = joined([branchOf(env, event), commitOf(env, event)?.slice(0, COMMIT_DIGITS)]);
  const whole = joined([build, pageTitle]);
  return isTitle(whole) ? whole : isTitle(build) ? build : undefined;
}

function joined(parts: readonly (string | undefined)[]): string {
  return parts
    .map((part = '') => part.replaceAll(REFUSED, '').trim())
    .filter((part) => part !== '')
    .join(SEPARATOR);
}

function isTitle(text: string): boolean {
  return typeof parseTitle(text, defaultLimits) === 'string';
}

/** The branch or the tag as it is given, or `pr-N`. */
function branchOf(env: Environment, event: unknown): string | undefined {
  const number = pullOrMergeRequestOf(env, event);
  if (number !== undefined) return `pr-${number}`;
  if (env.GITHUB_EVENT_NAME?.startsWith('pull_request')) return undefined;
  return env.GITHUB_REF_NAME || env.CI_COMMIT_BRANCH || env.CI_COMMIT_TAG;
}

/** Of a pull request the commit that was pushed: `GITHUB_SHA` is one that GitHub merged for the build. */
function commitOf({ GITHUB_SHA, CI_COMMIT_SHA }: Environment, event: unknown): string | undefined {
  const { pull_request: pull } = (event ?? {}) as { readonly pull_request?: { readonly head?: unknown } };
  const { sha } = (pull?.head ?? {}) as { readonly sha?: unknown };
  return typeof sha === 'string' && sha !== '' ? sha : GITHUB_SHA || CI_COMMIT_SHA;
}
