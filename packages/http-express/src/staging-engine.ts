import type { Readable } from 'node:stream';
import type { StagedArchive, Staging } from '@pinfold/core';
import type { StorageEngine } from 'multer';
import type { FormBody } from './form-body.ts';
import { RequestRefused } from './problem.ts';
import { requestError } from './tell.ts';

/** multer's storage of uploads: the core's {@link Staging}, which hashes on the way and stops at the limit. */
export function stagingEngine(staging: Staging, archiveBytes: number): StorageEngine {
  return {
    _handleFile: (request, file, callback) => {
      const body = request as unknown as FormBody;
      const upload = receive(staging, file.stream, archiveBytes);
      body.upload = upload.catch(() => undefined);
      upload.then(
        () => callback(null, {}),
        (error: Error) => {
          // multer would read the body to its end before it reports an error; the answer goes out at once.
          body.destroy(error);
          callback(error);
        },
      );
    },
    // What was received is discarded by whoever ends the request: the use case, or the reader of the form.
    _removeFile: (_request, _file, callback) => callback(null),
  };
}

async function receive(staging: Staging, stream: Readable, archiveBytes: number): Promise<StagedArchive> {
  // Ending the stream here would look to multer as if the upload had failed, before we can say why.
  const bytes = stream.iterator({ destroyOnReturn: false }) as NodeJS.AsyncIterator<Uint8Array>;
  const received = await staging.receive(bytes, archiveBytes);
  if (received.kind === 'received') return received.archive;
  const error = requestError({ rule: 'archive_too_large', limit: archiveBytes });
  throw new RequestRefused('archive_too_large', { errors: [error] });
}
