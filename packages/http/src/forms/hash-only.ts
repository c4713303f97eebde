import { createHash } from 'node:crypto';
import type { Sha256, Staging } from '@pinfold/core';

/**
 * Receives an upload of which only size and hash are needed: a repeated one, whose key has published already. It keeps
 * no bytes, so the archive has no file.
 */
export const hashOnly: Pick<Staging, 'receive'> = {
  async receive(body, limit, signal) {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of body) {
      signal?.throwIfAborted();
      size += chunk.byteLength;
      if (size > limit) return { kind: 'too_large' };
      hash.update(chunk);
    }
    const sha256 = hash.digest('hex') as Sha256;
    return { kind: 'received', archive: { file: '', size, sha256, discard: async () => {} } };
  },
};
