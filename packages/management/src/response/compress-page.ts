import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { prefersGzip } from '@pinfold/http/internal';
import type { Request } from 'express';
import type { Answer } from './answer.ts';

const inThread = promisify(gzip);

/** Below this size, in bytes, an uncompressed page and its headers fit one packet. */
const MIN_SIZE = 1_024;

/**
 * Compresses a page unless another site led to it. Such a site may choose the search text, and the compressed length
 * would show how much of that text occurs in the secret addresses on the page (BREACH).
 */
export async function compressPage(answer: Answer, { headers }: Pick<Request, 'headers'>): Promise<Answer> {
  if (answer.kind !== 'page' || answer.body === undefined || answer.body.length < MIN_SIZE) return answer;
  const from = headers['sec-fetch-site'];
  const isOurs = from === 'same-origin' || from === 'none';
  if (!isOurs || !prefersGzip(headers['accept-encoding'])) return answer;
  return { ...answer, body: await inThread(answer.body), coding: 'gzip' };
}
