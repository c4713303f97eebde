import { type Clock, minutes, seconds } from '@pinfold/core';
import { CommandFailure } from '../command-line/failures.ts';
import { failureOf, foreignAnswer, type ProblemJson, parseJson, unreachable } from './answers.ts';

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
    const text = await answer.text();
    // A node that stops or a database that fails over is back soon, and a busy address may ask again in a second.
    if ([202, 429, 502, 503].includes(answer.status)) return undefined;
    if (answer.status !== 200) throw failureOf(url, answer.status, refusalIn(text));
    return readGiven(parseJson(text));
  } catch (error) {
    throw unreachable(url, error) ?? error;
  }
}

/** The screen refuses in words alone. */
function refusalIn(text: string): ProblemJson {
  const { message } = (parseJson(text) ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' ? { detail: message } : {};
}

function readGiven(answer: unknown): GivenKey {
  const given = answer as Partial<GivenKey> | null | undefined;
  const { key, id, account, scopes } = given ?? {};
  if (typeof key !== 'string' || typeof id !== 'string' || typeof account !== 'string') throw foreignAnswer();
  if (!Array.isArray(scopes)) throw foreignAnswer();
  return { key, id, account, scopes };
}
