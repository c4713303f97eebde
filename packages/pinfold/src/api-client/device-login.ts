import { type Clock, type Duration, minutes, seconds } from '@pinfold/core';
import { CommandFailure, UnavailableError } from '../command-line/failures.ts';
import { escapeControls } from '../command-line/terminal.ts';
import { parsedJson } from '../parsed-json.ts';
import { NOT_A_PINFOLD, strangeAnswerText, unreachable } from './failure-text.ts';

export interface GivenKey {
  readonly key: string;
  readonly id: string;
  readonly account: string;
  readonly scopes: readonly string[];
}

/** The default interval, if the server names none. */
const PAUSE = seconds(1);
/** No server makes a person wait longer for a key that is there. */
const MAX_PAUSE = 30;
/** As long as a server keeps what was agreed to. */
const PATIENCE = minutes(10);

/** Registers a program that is about to ask for a key, by the SHA-256 of its secret. */
export async function registerLogin(url: string, hash: string): Promise<void> {
  const { status, json } = await send(`${url}/manage/connect/register`, { request: hash });
  if (status !== 200) throw refusedLogin(url, status, json);
}

/** Polls for the key of a secret until a person agrees. Throws after ten minutes, or if there will never be one. */
export async function keyForSecret(
  url: string,
  secret: string,
  clock: Pick<Clock, 'sleep'>,
  now: () => number = () => performance.now(),
): Promise<GivenKey> {
  const end = now() + PATIENCE;
  while (now() < end) {
    const answer = await ask(url, secret);
    if ('key' in answer) return answer;
    await clock.sleep(answer.pause);
  }
  throw new CommandFailure('nobody agreed within ten minutes', 'unauthorized');
}

async function ask(url: string, secret: string): Promise<GivenKey | { readonly pause: Duration }> {
  const { status, json, pause } = await send(`${url}/manage/connect/key`, { secret });
  // A node that stops, or a database that fails over, is back soon; so is the turn of an address with many programs.
  if (status === 202 || status === 429 || status === 502 || status === 503) return { pause };
  if (status !== 200) throw refusedLogin(url, status, json);
  return readGiven(json);
}

async function send(
  url: string,
  fields: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly json: unknown; readonly pause: Duration }> {
  try {
    // A redirect would take the secret to another place.
    const request = { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' } as const;
    const answer = await fetch(url, { ...request, headers: { accept: 'application/json' } });
    const json = parsedJson(await answer.text());
    return { status: answer.status, json, pause: pauseOf(answer.headers.get('retry-after')) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw unreachable(url, error);
  }
}

function pauseOf(retryAfter: string | null): Duration {
  if (retryAfter === null || !/^\d{1,4}$/.test(retryAfter)) return PAUSE;
  return seconds(Math.min(Math.max(1, Number(retryAfter)), MAX_PAUSE));
}

/** The screen refuses with a sentence for people. */
function refusedLogin(url: string, status: number, json: unknown): CommandFailure {
  const { message } = (json ?? {}) as { readonly message?: unknown };
  const isSentence = typeof message === 'string';
  const text = isSentence ? `${escapeControls(message)} (${status})` : strangeAnswerText(url, status);
  if (status === 429 || status >= 500) return new UnavailableError(text);
  return new CommandFailure(text, isSentence ? 'unauthorized' : 'not_found');
}

function readGiven(answer: unknown): GivenKey {
  const { key, id, account, scopes } = (answer ?? {}) as Partial<GivenKey>;
  const isText = [key, id, account].every((text) => typeof text === 'string');
  if (!isText || !Array.isArray(scopes)) throw new CommandFailure(NOT_A_PINFOLD, 'not_found');
  return { key, id, account, scopes } as GivenKey;
}
