import type { Sha256 } from '@pinfold/core';
import type { Prepare } from './sqlite-file.ts';

const FORBIDDEN = 'SELECT 1 FROM takedowns WHERE sha256 = ? AND lifted_at IS NULL LIMIT 1';

export function isForbidden(prepare: Prepare, sha256: Sha256): boolean {
  return prepare(FORBIDDEN).get(sha256) !== undefined;
}
