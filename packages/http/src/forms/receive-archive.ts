import type { IncomingMessage } from 'node:http';
import type { ReceiveOutcome } from '@pinfold/core';
import { BodyError, type BodyTrouble, WatchedBody } from '../body/watched-body.ts';
import { BESIDE, type ReceiveFormOptions } from './receive-form.ts';

/** The outcome of receiving an archive as the whole body. */
export type ReceivedArchive = ReceiveOutcome | { readonly kind: 'unread'; readonly trouble: BodyTrouble };

/** Receives an archive that is the whole body of its request. */
export async function receiveArchive(
  request: IncomingMessage,
  { staging, archiveBytes, ...limits }: ReceiveFormOptions,
): Promise<ReceivedArchive> {
  try {
    const body = new WatchedBody(request, { ...limits, bytes: archiveBytes + BESIDE });
    return await staging.receive(body, archiveBytes);
  } catch (error) {
    if (error instanceof BodyError) return { kind: 'unread', trouble: error.trouble };
    throw error;
  }
}
