import type { Publication, Refusal, RoleCommand } from '@pinfold/core';
import { refuseCommand } from '@pinfold/core/internal';
import { sharedUrl } from '@pinfold/http';
import type { RequestContext } from './request/request-context.ts';

export type RefusedBecause = Refusal<'invalid_state'>['state'];

export interface ShownPublication extends Publication {
  /** See {@link publicationName}. */
  readonly name: string;
  readonly endsSoon: boolean;
  /** Why the core would refuse a command now; `undefined` if it would not. */
  readonly refusal: (command: RoleCommand['type']) => RefusedBecause | undefined;
}

const SOON = 86_400_000;

/** The title, or else the uploaded file's name; the id once both were dropped. */
export function publicationName({
  id,
  title,
  originalFilename,
}: Pick<Publication, 'id' | 'title' | 'originalFilename'>): string {
  return title ?? originalFilename ?? id;
}

export function shownPublication(
  publication: Publication,
  { screen, now }: Pick<RequestContext, 'now' | 'screen'>,
): ShownPublication {
  const { id, state, expiresAt } = publication;
  return {
    ...publication,
    sharedUrl: sharedUrl(screen.publicUrl, id),
    name: publicationName(publication),
    endsSoon: state === 'published' && expiresAt !== null && expiresAt - now < SOON,
    refusal: (command) => refuseCommand(publication, command, now)?.state,
  };
}
