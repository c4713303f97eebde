import { type Publication, publicationOf } from '../domain/publication.ts';
import type { Role } from '../domain/role.ts';
import type { Clock } from '../ports/clock.ts';

/** Options for what publications show. */
export interface PublicationOptions {
  /**
   * The URL that leads to Pinfold, for `sharedUrl`: `https://pages.example`; a function where it is known later, which
   * answers it without a slash at its end. Default: none, and `sharedUrl` is the path below it.
   */
  readonly publicUrl?: string | (() => string) | undefined;
}

/** Makes the publication of a role as it is now. */
export type ShowPublication = (role: Role) => Publication;

export function showingPublications(clock: Clock, { publicUrl = '' }: PublicationOptions): ShowPublication {
  const fixed = typeof publicUrl === 'string' ? publicUrl.replace(/\/+$/, '') : '';
  const url = typeof publicUrl === 'function' ? publicUrl : () => fixed;
  return (role) => publicationOf(role, clock.now(), url());
}
