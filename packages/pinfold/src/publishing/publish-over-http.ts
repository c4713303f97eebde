import { type Clock, type Duration, seconds } from '@pinfold/core';
import { failureOf, foreignAnswer, parseJson, parseProblem, unreachable } from '../elsewhere/answers.ts';
import type { Server } from '../elsewhere/server.ts';
import { persist, type Try } from './persist.ts';
import type { Published, Wish } from './publication.ts';
import { WatchedFile } from './watched-file.ts';

const RETRYABLE = [408, 429, 500, 502, 503, 504];

/**
 * Publishes by the API, and sends the same again while that can help.
 *
 * @param sending is told how much of the archive was sent, from 0 to 1.
 */
export function publishOverHttp(
  server: Server,
  wish: Wish,
  clock: Clock,
  note: (reason: Error, pause: Duration) => void,
  sending: (sent: number) => void,
): Promise<Published> {
  return persist(clock, () => attempt(server, wish, clock, sending), note);
}

async function attempt(
  { url, apiKey }: Server,
  wish: Wish,
  clock: Clock,
  sending: (sent: number) => void,
): Promise<Try<Published>> {
  const body = new FormData();
  body.set('archive', new WatchedFile(wish, sending));
  if (wish.title !== undefined) body.set('title', wish.title);
  const headers = { authorization: `Bearer ${apiKey}`, 'idempotency-key': wish.idempotencyKey };
  try {
    // A redirect would take the key to another place.
    const request = { method: 'POST', body, headers, redirect: 'manual' } as const;
    const answer = await fetch(`${url}/api/v1/pins`, request);
    const text = await answer.text();
    if (answer.status === 200 || answer.status === 201) return { kind: 'done', result: parsePublished(text) };
    const problem = parseProblem(text);
    const reason = failureOf(url, answer.status, problem);
    const again = problem.retryable ?? RETRYABLE.includes(answer.status);
    if (!again) throw reason;
    return { kind: 'again', after: waitOf(answer.headers.get('retry-after'), clock), reason };
  } catch (error) {
    const reason = unreachable(url, error);
    if (reason === undefined) throw error;
    return { kind: 'again', after: undefined, reason };
  }
}

function parsePublished(text: string): Published {
  const published = parseJson(text) as Partial<Published> | null | undefined;
  const { pin, warnings = [] } = published ?? {};
  if (typeof pin?.shared_url !== 'string' || !areWarnings(warnings)) throw foreignAnswer();
  return { pin, warnings };
}

function areWarnings(warnings: unknown): warnings is Published['warnings'] {
  return (
    Array.isArray(warnings) &&
    warnings.every(
      (warning) =>
        typeof warning?.rule === 'string' &&
        typeof warning.detail === 'string' &&
        ['string', 'undefined'].includes(typeof warning.path),
    )
  );
}

/** Retry-After in seconds or as a date (RFC 9110, section 10.2.3). */
function waitOf(header: string | null, clock: Clock): Duration | undefined {
  if (header === null) return undefined;
  if (/^\d{1,6}$/.test(header)) return seconds(Number(header));
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : seconds(Math.max(0, at - clock.now()) / 1_000);
}
