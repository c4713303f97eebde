import type { Clock } from '@pinfold/core';
import express, { type RequestHandler } from 'express';
import { LONGEST_FORM, whileItComes } from './receive.ts';
import type { Visit } from './visit.ts';

const LARGEST_FORM = 16_384;
const parseForm: RequestHandler = express.urlencoded({
  extended: false,
  limit: LARGEST_FORM,
  parameterLimit: 50,
});

/**
 * Reads a form without a file into the request's `body`. One that is too large is refused at once: the parser would read
 * it to its end before it says so.
 *
 * @throws an error with a `status` for a form that is too large, stands still or cannot be read.
 */
export async function readForm({ request, response }: Visit, clock: Clock): Promise<void> {
  const tooLarge = Object.assign(new Error('the form is too large'), { status: 413 });
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_FORM) throw tooLarge;
  const read = (stall: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      let bytes = 0;
      stall.addEventListener('abort', () => reject(stall.reason), { once: true });
      request.on('data', (chunk: Uint8Array) => {
        bytes += chunk.length;
        if (bytes > LARGEST_FORM) reject(tooLarge);
      });
      parseForm(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
    });
  const stalled = await whileItComes(request, clock, LONGEST_FORM, read);
  if (stalled !== undefined) throw Object.assign(new Error('the form stood still'), { status: 408 });
}
