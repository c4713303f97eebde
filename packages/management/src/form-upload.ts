import type { Limits, StagedArchive, Staging } from '@pinfold/core';
import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import { isSameToken } from './form-guard.ts';
import { type Received, receive } from './receive.ts';

/** A form for publishing, as far as it could be read. */
export interface UploadForm {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The file's name as sent; absent when no file came. */
  readonly filename: string | undefined;
  readonly archive: Received | undefined;
}

interface ReceivedFile {
  readonly archive: Received;
}

/**
 * Reads the multipart form that a browser without scripts sends (RFC 7578). The token stands before the file, so that a
 * forged form's file is not even received.
 */
export async function readUploadForm(
  request: Request,
  response: Response,
  { staging, limits, token }: { readonly staging: Staging; readonly limits: Limits; readonly token: string },
): Promise<UploadForm | 'broken'> {
  const storage: multer.StorageEngine = {
    _handleFile: (_request, file, done) => {
      const body = file.stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
      receive(request, body, staging, limits.archiveBytes).then(
        (archive) => {
          if (archive.kind !== 'received') file.stream.resume();
          done(null, { archive } as Partial<Express.Multer.File>);
        },
        (error: unknown) => done(error),
      );
    },
    _removeFile: (_request, file, done) => {
      discard((file as unknown as ReceivedFile).archive).then(() => done(null), done);
    },
  };
  const read = multer({
    storage,
    defParamCharset: 'utf8',
    limits: { files: 1, fields: 4, fieldSize: 4_096, headerPairs: 50 },
    fileFilter: (own, _file, done) => done(null, isSameToken(token, (own.body as { form?: string }).form)),
  }).single('archive');
  try {
    await new Promise<void>((resolve, reject) => {
      read(request, response, (error: unknown) => (error === undefined ? resolve() : reject(error)));
    });
  } catch (error) {
    if (error instanceof MulterError || isBrokenForm(error)) return 'broken';
    throw error;
  }
  const file = request.file as (Express.Multer.File & ReceivedFile) | undefined;
  return {
    fields: (request.body ?? {}) as Readonly<Record<string, unknown>>,
    filename: file?.originalname,
    archive: file?.archive,
  };
}

/** Removes what was received. */
export async function discard(archive: Received | undefined): Promise<void> {
  if (archive?.kind === 'received') await (archive.archive satisfies StagedArchive).discard();
}

/** What the parser under multer says of a body that is no form; it has no codes. */
function isBrokenForm(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^(?:Malformed|Unexpected end of form|Multipart|Missing|Unsupported content type)/.test(error.message)
  );
}
