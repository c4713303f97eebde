import type { Mode } from '@pinfold/core';
import * as T from '../schema.ts';

export const SERVICE = {
  mode: T.oneOf(['normal', 'read_only'] satisfies readonly Mode['kind'][]),
  message: T.nullable(T.string(), { maxLength: 255 }),
};

/** How the service runs, as JSON. */
export type WireService = T.ObjectOf<typeof SERVICE>;

/** The JSON of the mode. */
export function serviceOf({ kind, message }: Mode): WireService {
  return { mode: kind, message };
}
