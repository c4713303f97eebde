import { type Name, nameUrlBelow, type ShownName } from '../domain/name.ts';
import { type Publication, publicationOf, type Role, stateOf } from '../domain/role.ts';
import type { Clock } from '../ports/clock.ts';

export interface PublicationOptions {
  /**
   * The URL of Pinfold for `sharedUrl`, such as `https://pages.example`, or a function that returns it later, without a
   * slash at its end. Default: none, and `sharedUrl` is only a path.
   */
  readonly publicUrl?: string | (() => string) | undefined;
}

export type ShowPublication = (role: Role) => Publication;

export type ShowName = (shown: ShownName) => Name;

export function showing(
  clock: Clock,
  { publicUrl = '' }: PublicationOptions,
): { readonly show: ShowPublication; readonly showName: ShowName } {
  const fixed = typeof publicUrl === 'string' ? publicUrl.replace(/(?<!\/)\/+$/, '') : '';
  const url = typeof publicUrl === 'function' ? publicUrl : () => fixed;
  return {
    show: (role) => publicationOf(role, clock.now(), url()),
    showName: ({ name: record, role }) => {
      const { name, role: pin, previous, updatedAt } = record;
      return {
        name,
        url: nameUrlBelow(url(), record),
        pin,
        updatedAt,
        pinState: stateOf(role, clock.now()),
        pinExpiresAt: role.expiresAt,
        previous,
      };
    },
  };
}
