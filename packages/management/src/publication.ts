import {
  type Actor,
  type Publication,
  parseRoleId,
  type Refusal,
  type RoleCommand,
  type RoleId,
} from '@pinfold/core';
import { checkCommand } from '@pinfold/core/internal';
import { sharedUrl } from '@pinfold/http';
import type { RequestContext, SignedInContext } from './request/request-context.ts';

export type RefusedBecause = Refusal<'invalid_state'>['state'];

export interface ShownPublication extends Publication {
  /** See {@link publicationName}. */
  readonly name: string;
  readonly endsSoon: boolean;
  /** Why the core would refuse a command now; `undefined` if it would accept it. */
  readonly refusal: (command: RoleCommand['type']) => RefusedBecause | undefined;
}

/** The parts of a publication that the upload script receives. */
export type SentPublication = Pick<Publication, 'expiresAt' | 'id' | 'passwordProtected' | 'sharedUrl'>;

const SOON_MILLISECONDS = 86_400_000;

const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u;

/** The title, or else the uploaded file's name, or else the id: the first that a reader can see, as the text of a link. */
export function publicationName({ id, title, originalFilename }: Publication): string {
  return [title, originalFilename].find((text) => text !== null && VISIBLE.test(text)) ?? id;
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
    endsSoon: state === 'published' && expiresAt !== null && expiresAt - now < SOON_MILLISECONDS,
    refusal: (command) => checkCommand(publication, command, now)?.state,
  };
}

/** The publication that the path of a request names. */
export function idOf({ request }: RequestContext): RoleId | undefined {
  return parseRoleId(String(request.params.id));
}

export function pathOf({ base }: RequestContext, id: RoleId): string {
  return `${base}/publications/${id}`;
}

/** Reads the publications that the actor may read, by id. */
export async function shownPublications(
  context: SignedInContext,
  ids: Iterable<RoleId>,
  by: Actor = context.account,
): Promise<ReadonlyMap<string, ShownPublication>> {
  const { signal, screen } = context;
  const read = Array.from(new Set(ids), async (id) => {
    const found = await screen.useCases.read({ by, id, signal });
    return found.kind === 'found' ? [[id, shownPublication(found.publication, context)] as const] : [];
  });
  return new Map((await Promise.all(read)).flat());
}
