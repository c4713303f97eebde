import { type Clock, minutes, seconds } from '@pinfold/core';
import { CommandFailure } from '../command-line/failures.ts';
import { NOT_A_PINFOLD, strangeAnswerText, unreachableText } from './failure-text.ts';

/** A key that somebody agreed to on the management screen. */
export interface GivenKey {
  readonly key: string;
  readonly id: string;
  readonly account: string;
  readonly scopes: readonly string[];
}

const PAUSE = seconds(1);
/** As long as a server keeps what was agreed to. */
const PATIENCE = minutes(10);

/**
 * Asks again and again for the key of a secret, until somebody agrees.
 *
 * @throws CommandFailure after ten minutes, or when the server will never give one.
 */
export async function keyForSecret(url: string, secret: string, clock: Clock): Promise<GivenKey> {
  const end = clock.now() + PATIENCE;
  while (clock.now() < end) {
    const given = await ask(url, secret);
    if (given !== undefined) return given;
    await clock.sleep(PAUSE);
  }
  throw new CommandFailure('nobody agreed within ten minutes');
}

async function ask(url: string, secret: string): Promise<GivenKey | undefined> {
  try {
    // A redirect would take the secret to another place.
    const request = { method: 'POST', body: new URLSearchParams({ secret }), redirect: 'manual' } as const;
    const headers = { accept: 'application/json' };
    const answer = await fetch(`${url}/manage/connect/key`, { ...request, headers });
    const body = parsed(await answer.text());
    // A node that stops, or a database that fails over, is back soon.
    if (answer.status === 202 || answer.status === 502 || answer.status === 503) return undefined;
    if (answer.status !== 200) {
      throw new CommandFailure(refusalIn(body) ?? strangeAnswerText(url, answer.status));
    }
    return readGiven(body);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CommandFailure(unreachableText(url, error), { cause: error });
  }
}

/** The screen refuses in words alone. */
function refusalIn(answer: unknown): string | undefined {
  const { message } = (answer ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' ? message : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readGiven(answer: unknown): GivenKey {
  const given = answer as Partial<GivenKey> | null | undefined;
  const { key, id, account, scopes } = given ?? {};
  if (
    typeof key !== 'string' ||
    typeof id !== 'string' ||
    typeof account !== 'string' ||
    !Array.isArray(scopes)
  ) {
    throw new CommandFailure(NOT_A_PINFOLD);
  }
  return { key, id, account, scopes };
}
