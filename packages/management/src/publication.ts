import type { Instant, Publication, Refusal, RoleCommand } from '@pinfold/core';
import { refuseCommand } from '@pinfold/core/internal';
import { type PublicUrl, sharedUrl } from '@pinfold/http';

/** Why the core would refuse a command now. */
export type RefusedBecause = Refusal<'invalid_state'>['state'];

/** What a person may do with a publication now, and why not, as the core decides it. */
export type Permitted = Readonly<Record<RoleCommand['type'], RefusedBecause | undefined>>;

export interface ShownPublication extends Publication {
  /** The title, or else the uploaded file's name. */
  readonly name: string;
  readonly endsSoon: boolean;
  readonly refused: Permitted;
}

const SOON = 86_400_000;

export function shownPublication(
  publication: Publication,
  { publicUrl, now }: { readonly publicUrl: PublicUrl; readonly now: Instant },
): ShownPublication {
  const { id, title, originalFilename, state, expiresAt } = publication;
  return {
    ...publication,
    sharedUrl: sharedUrl(publicUrl, id),
    name: title ?? originalFilename,
    endsSoon: state === 'published' && expiresAt !== null && expiresAt - now < SOON,
    refused: permitted(publication, now),
  };
}

function permitted(publication: Publication, now: Instant): Permitted {
  const reason = (type: RoleCommand['type']) => refuseCommand(publication, type, now)?.state;
  return {
    set_title: reason('set_title'),
    set_password: reason('set_password'),
    reset_expiration: reason('reset_expiration'),
    pin: reason('pin'),
    unpin: reason('unpin'),
    stop: reason('stop'),
    create_grant: reason('create_grant'),
  };
}
