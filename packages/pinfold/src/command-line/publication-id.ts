import { parseRoleId, type RoleId } from '@pinfold/core';
import { UsageError } from './failures.ts';

/**
 * Takes an id, or the shared URL whose last segment it is.
 *
 * @param name what the argument is called.
 */
export function readPublicationId(text: string, name: string): RoleId {
  const [last = ''] = text.split(/[?#]/, 1)[0]?.replace(/\/+$/, '').split('/').slice(-1) ?? [];
  const id = parseRoleId(last);
  if (id === undefined)
    throw new UsageError(`${name} takes the UUID at the end of a shared URL, or all of the URL`);
  return id;
}
