import type { ReceiveOutcome, UseCases } from '@pinfold/core';
import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import { isSameToken } from './form-guard.ts';
import { LONGEST_UPLOAD, type Stalled, whileItComes } from './receive.ts';

/** A form for publishing, as far as it could be read. */
export interface UploadForm {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The file's name as sent; absent when no file came. */
  readonly filename: string | undefined;
  readonly archive: ReceiveOutcome | undefined;
}

/**
 * Reads the multipart form that a browser without scripts sends (RFC 7578). The token stands before the file, so that a
 * forged form's file is not even received.
 */
export async function readUploadForm(
  request: Request,
  response: Response,
  {
    useCases: { clock, staging, limits },
    token,
  }: { readonly useCases: Pick<UseCases, 'clock' | 'limits' | 'staging'>; readonly token: string },
): Promise<UploadForm | Stalled | 'broken'> {
  let receiving: Promise<ReceiveOutcome> | undefined;
  const discardReceived = async () => {
    const own = receiving;
    receiving = undefined;
    // Why a file was not received is told where it is received.
    await discard(await own?.catch(() => undefined));
  };
  const storageUntil = (stall: AbortSignal): multer.StorageEngine => ({
    _handleFile: (_request, file, done) => {
      const body = file.stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
      receiving = staging.receive(body, limits.archiveBytes, stall);
      receiving.then(
        (archive) => {
          if (archive.kind !== 'received') file.stream.resume();
          done(null, {});
        },
        (error: unknown) => done(error),
      );
    },
    _removeFile: (_request, _file, done) => {
      discardReceived().then(() => done(null), done);
    },
  });
  const read = (stall: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      stall.addEventListener('abort', () => reject(stall.reason), { once: true });
      multer({
        storage: storageUntil(stall),
        defParamCharset: 'utf8',
        limits: { files: 1, fields: 4, fieldSize: 4_096, headerPairs: 50 },
        fileFilter: (own, _file, done) =>
          done(null, isSameToken(token, (own.body as { form?: string }).form)),
      }).single('archive')(request, response, (error: unknown) =>
        error === undefined ? resolve() : reject(error),
      );
    });
  try {
    const stalled = await whileItComes(request, clock, LONGEST_UPLOAD, read);
    if (stalled !== undefined) {
      // Its file may have come whole before the form stood still.
      await discardReceived();
      return stalled;
    }
  } catch (error) {
    if (error instanceof MulterError || isBrokenForm(error)) return 'broken';
    throw error;
  }
  return {
    fields: (request.body ?? {}) as Readonly<Record<string, unknown>>,
    filename: request.file?.originalname,
    archive: await receiving,
  };
}

/** Removes what was received. */
export async function discard(archive: ReceiveOutcome | undefined): Promise<void> {
  if (archive?.kind === 'received') await archive.archive.discard();
}

/** What the parser under multer says of a body that is no form; it has no codes. */
function isBrokenForm(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^(?:Malformed|Unexpected end of form|Multipart|Missing|Unsupported content type)/.test(error.message)
  );
}
