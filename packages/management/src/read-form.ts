import { type Clock, minutes, seconds } from '@pinfold/core';
import { type FormTrouble, readFields } from '@pinfold/http';
import type { Visit } from './visit.ts';

/** How slow and how large a form without a file may be. */
const LIMITS = { idle: seconds(30), total: minutes(1), bytes: 16_384 };
const STATUSES: Readonly<Partial<Record<FormTrouble, number>>> = { stalled: 408, too_long: 413 };

/**
 * Reads a form without a file into the request's `body`; of another body there is none.
 *
 * @throws an error with a `status` for a form that is too large, stands still or breaks off.
 */
export async function readForm({ request }: Visit, clock: Clock): Promise<void> {
  const read = await readFields(request, { clock, ...LIMITS });
  if (read.kind === 'fields') request.body = read.fields;
  else if (read.trouble !== 'media_type') {
    throw Object.assign(new Error('the form was not read'), { status: STATUSES[read.trouble] ?? 400 });
  }
}
