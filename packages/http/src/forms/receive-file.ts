import { createHash } from 'node:crypto';
import { finished, type Readable } from 'node:stream';
import type { ReceiveOutcome, Sha256, Staging } from '@pinfold/core';

/** Receives the file of a form. Must stop reading at the limit, and leave the stream open. */
export type ReceiveFile = (file: Readable, limit: number) => Promise<ReceiveOutcome>;

export function receiveInto(staging: Pick<Staging, 'receive'>): ReceiveFile {
  // Does not destroy the stream when the staging stops reading: multer would report a broken upload.
  // Asynchronous: multer would also report a broken upload if a staging throws instead of rejecting.
  return async (file, limit) => staging.receive(file.iterator({ destroyOnReturn: false }), limit);
}

/** Reads only the size and hash of a repeated upload. An iterator, with its promises, would take twice as long. */
export const hashOnly: ReceiveFile = (file, limit) =>
  new Promise((resolve, reject) => {
    const hash = createHash('sha256');
    let size = 0;
    file.on('data', (bytes: Buffer) => {
      size += bytes.length;
      if (size <= limit) hash.update(bytes);
      else {
        file.pause();
        resolve({ kind: 'too_large' });
      }
    });
    finished(file, (error) => {
      if (error) return reject(error);
      const sha256 = hash.digest('hex') as Sha256;
      resolve({
        kind: 'received',
        archive: { open: () => notStored(), size, sha256, discard: async () => {} },
      });
    });
  });

function notStored(): never {
  throw new TypeError('a repeated upload was not stored');
}
