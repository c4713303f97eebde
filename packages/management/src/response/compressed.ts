import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { prefersGzip } from '@pinfold/http/internal';
import type { Request } from 'express';
import type { Answer } from './answer.ts';

const inThread = promisify(gzip);

/** Below this size, in bytes, a page and its head fit one packet as they are. */
const MIN_SIZE = 1_024;

/**
 * Compresses a page that nobody else could have led to. A page of another site that leads here may choose a search, and
 * its length would tell how much of the text stands in the secret addresses beside it (BREACH).
 */
export async function compressed(answer: Answer, { headers }: Pick<Request, 'headers'>): Promise<Answer> {
  if (answer.kind !== 'page' || answer.body === undefined || answer.body.length < MIN_SIZE) return answer;
  const from = headers['sec-fetch-site'];
  const isOurs = from === 'same-origin' || from === 'none';
  if (!isOurs || !prefersGzip(headers['accept-encoding'])) return answer;
  return { ...answer, body: await inThread(answer.body), coding: 'gzip' };
}
