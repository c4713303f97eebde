import type { Mode } from '@pinfold/core';
import * as T from '../schema.ts';

export const SERVICE = {
  mode: T.oneOf(['normal', 'read_only'] satisfies readonly Mode['kind'][]),
  message: T.nullable(T.string(), { maxLength: 255 }),
};

export type WireService = T.ObjectOf<typeof SERVICE>;

export function serviceOf({ kind, message }: Mode): WireService {
  return { mode: kind, message };
}
