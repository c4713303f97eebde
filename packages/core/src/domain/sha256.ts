import type { Branded } from './identity.ts';

/** A SHA-256 in 64 lower-case hexadecimal digits. */
export type Sha256 = Branded<string, 'Sha256'>;

export const SHA256: RegExp = /^[0-9a-f]{64}$/;
