import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { prefersGzip } from '@pinfold/http/internal';
import type { RequestContext } from '../request/request-context.ts';
import type { Answer } from './answer.ts';

const inThread = promisify(gzip);

/** Below this size, in bytes, a page and its head fit one packet as they are. */
const MIN_SIZE = 1_024;

/**
 * Compresses a page that nobody else could have led to. A page of another site that leads here may choose a search, and
 * its length would tell how much of the text stands in the secret addresses beside it (BREACH). Without https, browsers
 * do not say what led here, and who sees the length reads the page.
 */
export async function compressed(
  answer: Answer,
  { request: { headers }, scope }: Pick<RequestContext, 'request' | 'scope'>,
): Promise<Answer> {
  if (answer.kind !== 'page' || answer.body === undefined || answer.body.length < MIN_SIZE) return answer;
  const from = headers['sec-fetch-site'];
  const isOurs = from === 'same-origin' || from === 'none' || (from === undefined && !scope.secure);
  if (!isOurs || !prefersGzip(headers['accept-encoding'])) return answer;
  return { ...answer, body: await inThread(answer.body), coding: 'gzip' };
}
