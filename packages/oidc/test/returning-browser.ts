import type { IdentityProvider } from '@pinfold/core';
import { expect } from 'chai';

type Finished = ReturnType<IdentityProvider['finish']>;

/** Begins a sign-in; the returned function sends its browser back, from an address, with a code. */
export async function beginSignIn(
  provider: IdentityProvider,
): Promise<(client: string, code?: string, signal?: AbortSignal) => Finished> {
  const returnUrl = 'https://pages.example/manage/sign-in/oidc';
  const begun = await provider.begin(returnUrl);
  if (begun.kind !== 'begun') throw new Error(begun.detail);
  const state = new URL(begun.url).searchParams.get('state') ?? '';
  return (client, code = 'a', signal = new AbortController().signal) => {
    const returned = `${returnUrl}?${new URLSearchParams({ code, state })}`;
    return provider.finish(returned, begun.browserState, { client, signal });
  };
}

/** Expects that the return of a browser ended with a problem. */
export async function expectProblem(finished: Finished, problem: string): Promise<void> {
  const outcome = await finished;
  expect(outcome.kind === 'failed' && outcome.problem).to.equal(problem);
}
