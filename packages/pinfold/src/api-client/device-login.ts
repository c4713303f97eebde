import { type Clock, type Duration, minutes, seconds } from '@pinfold/core';
import { nameOf } from '@pinfold/core/internal';
import { CommandFailure, UnavailableError } from '../command-line/failures.ts';
import { escapeControls } from '../command-line/terminal.ts';
import { tryParseJson } from '../try-parse-json.ts';
import { invalidAnswerText, NOT_A_PINFOLD, unreachableError } from './failure-text.ts';
import { isKeyText } from './logins.ts';
import { readBeginning } from './read-beginning.ts';

export interface IssuedKey {
  readonly key: string;
  readonly id: string;
  readonly account: string;
  readonly scopes: readonly string[];
}

/** The pause between polls if the server names none. */
const DEFAULT_PAUSE = seconds(1);
/** Limits `Retry-After`, so that no server makes a person wait much longer than necessary. */
const MAX_PAUSE_SECONDS = 30;
/** The server stores a consent for as long. */
const MAX_WAIT = minutes(10);
/** For each answer with its body. */
const ANSWER_TIMEOUT = seconds(30);

/** Registers this program's request for a key by the SHA-256 of its secret. */
export async function registerLogin(url: string, hash: string): Promise<void> {
  const { status, json } = await send(`${url}/manage/connect/register`, { request: hash });
  if (status !== 200) throw loginError(url, status, json);
}

/** Polls for the key until a person consents; throws after ten minutes or if the server refuses. */
export async function waitForKey(
  url: string,
  secret: string,
  clock: Pick<Clock, 'sleep'>,
  now: () => number = () => performance.now(),
): Promise<IssuedKey> {
  const end = now() + MAX_WAIT;
  while (now() < end) {
    const answer = await pollOnce(url, secret);
    if ('key' in answer) return answer;
    await clock.sleep(answer.pause);
  }
  throw new CommandFailure('the login was not authorized within ten minutes', 'unauthorized');
}

async function pollOnce(url: string, secret: string): Promise<IssuedKey | { readonly pause: Duration }> {
  const { status, json, pause } = await send(`${url}/manage/connect/key`, { secret });
  // These end by themselves: no consent yet, too many requests, a node that stops, a database that fails over.
  if (status === 202 || status === 429 || status === 502 || status === 503) return { pause };
  if (status !== 200) throw loginError(url, status, json);
  return readKey(json);
}

async function send(
  url: string,
  fields: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly json: unknown; readonly pause: Duration }> {
  try {
    // A redirect would send the secret to another address.
    const request = { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' } as const;
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT);
    const answer = await fetch(url, { ...request, signal, headers: { accept: 'application/json' } });
    const json = tryParseJson(await readBeginning(answer));
    return { status: answer.status, json, pause: readPause(answer.headers.get('retry-after')) };
  } catch (error) {
    if (nameOf(error) === 'TimeoutError')
      throw new UnavailableError(`${new URL(url).host} does not answer`, { cause: error });
    if (!(error instanceof TypeError)) throw error;
    throw unreachableError(url, error);
  }
}

function readPause(retryAfter: string | null): Duration {
  if (retryAfter === null || !/^\d{1,4}$/.test(retryAfter)) return DEFAULT_PAUSE;
  return seconds(Math.min(Math.max(1, Number(retryAfter)), MAX_PAUSE_SECONDS));
}

/** Builds the error from the sentence for people in the server's answer. */
function loginError(url: string, status: number, json: unknown): CommandFailure {
  const { message } = (json ?? {}) as { readonly message?: unknown };
  const isSentence = typeof message === 'string';
  const text = isSentence ? `${escapeControls(message)} (${status})` : invalidAnswerText(url, status);
  if (status === 429 || status >= 500) return new UnavailableError(text);
  return new CommandFailure(text, isSentence ? 'unauthorized' : 'invalid_answer');
}

function readKey(answer: unknown): IssuedKey {
  const { key, id, account, scopes } = (answer ?? {}) as Partial<IssuedKey>;
  const isText = [key, id, account].every((text) => typeof text === 'string');
  if (!isText || !isKeyText(key as string) || !Array.isArray(scopes))
    throw new CommandFailure(NOT_A_PINFOLD, 'invalid_answer');
  return { key, id, account, scopes } as IssuedKey;
}
