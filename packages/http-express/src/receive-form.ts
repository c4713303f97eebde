import type { IncomingMessage } from 'node:http';
import {
  type Clock,
  type Filename,
  isFault,
  type Limits,
  type StagedArchive,
  type Staging,
} from '@pinfold/core';
import type { Request, Response } from 'express';
import multer from 'multer';
import { type BodyTimeouts, feedBody } from './feed-body.ts';
import { decodeUtf8 } from './filename.ts';
import { FormBody } from './form-body.ts';
import { LONGEST_TITLE } from './form-fields.ts';
import { formBoundary } from './media-type.ts';
import { RequestRefused } from './problem.ts';
import { stagingEngine } from './staging-engine.ts';
import { requestError } from './tell.ts';

/** A publication's form, received whole. */
export interface ReceivedForm {
  readonly archive: StagedArchive;
  readonly filename: Filename;
  /** The title as it was sent; `undefined` when its bytes are not UTF-8, `''` when there is none. */
  readonly title: string | undefined;
}

/** What receiving a form needs. */
export interface FormReceiverOptions {
  readonly staging: Staging;
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'archiveBytes'>;
  readonly timeouts: BodyTimeouts;
}

/** Receives the form of one request; what it refuses it throws as {@link RequestRefused}, and leaves nothing behind. */
export type ReceiveForm = (request: IncomingMessage) => Promise<ReceivedForm>;

/** Makes the receiver of forms: multer over {@link Staging}, behind frames that we read ourselves. */
export function formReceiver({ staging, clock, limits, timeouts }: FormReceiverOptions): ReceiveForm {
  const options: multer.Options & { readonly defCharset: string } = {
    storage: stagingEngine(staging, limits.archiveBytes),
    limits: { fieldSize: LONGEST_TITLE },
    // Each byte comes out as a character of its own, so that none is lost before it is judged.
    defCharset: 'latin1',
  };
  const parse = multer(options).single('archive');
  return async (request) => {
    const body = new FormBody(formBoundary(request));
    const closed = new Promise<void>((resolve) => body.once('close', resolve));
    const parsed = new Promise<void>((resolve, reject) => {
      body.once('error', reject);
      parse(body as unknown as Request, {} as Response, (error?: unknown) =>
        error === undefined || error === null ? resolve() : reject(error),
      );
    });
    feedBody(request, body, { clock, timeouts });
    try {
      await parsed;
      return await readForm(body);
    } catch (error) {
      const reason = body.errored ?? error;
      await leaveNothing(body, closed);
      throw reason;
    }
  };
}

async function readForm(body: FormBody): Promise<ReceivedForm> {
  const archive = await body.upload;
  const { filename } = body.fields;
  if (archive === undefined || filename === undefined) {
    throw new RequestRefused('invalid_form', { errors: [requestError({ rule: 'archive_missing' })] });
  }
  const { title = '' } = body.body;
  return { archive, filename, title: decodeUtf8(Buffer.from(String(title), 'latin1')) };
}

/** Ends what still runs, and waits until the request has been let go and the upload is gone. */
async function leaveNothing(body: FormBody, closed: Promise<void>): Promise<void> {
  body.destroy();
  await closed;
  const archive = await body.upload;
  try {
    await archive?.discard();
  } catch (error) {
    // The sweep finds it; the client gets the answer that matters.
    if (!isFault(error)) throw error;
  }
}
