import { type ArchiveRefusal, parseRoleId, type RoleId } from '@pinfold/core';
import { archiveAnswer } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import { isStillSignedIn } from '../request/middleware.ts';
import type { SignedIn, SignedInContext } from '../request/request-context.ts';
import { type Answer, seeOther, withLog } from '../response/answer.ts';
import { notFound, refuse } from '../response/refuse.ts';
import { pathOf } from './publication.ts';

/** Sends the ZIP of a publication as it was uploaded. */
export async function downloadArchive(context: SignedIn<'openArchive'>): Promise<Answer> {
  const { account: by, request, response, signal, screen } = context;
  const id = parseRoleId(String(request.params.id));
  if (id === undefined) return notFound(context);
  const opened = await screen.openArchive({ by, id, signal });
  if (opened.kind === 'refused') {
    if (opened.code !== 'forbidden') return refuseArchive(context, id, opened);
    const forbidden = refuse(context, 403, 'openForbiddenTitle', 'forbidden_viewing');
    return withLog(forbidden, { outcome: opened.code });
  }
  const answer = await archiveAnswer(opened, {
    request,
    response,
    client: screen.clientAddress(request),
    signal,
    isStillAllowed: () => isStillSignedIn(context),
  });
  if ('code' in answer) return refuseArchive(context, id, answer);
  return { kind: 'download', status: answer.status, answer };
}

function refuseArchive(context: SignedInContext, id: RoleId, refusal: ArchiveRefusal): Answer {
  if (refusal.code === 'not_found') return notFound(context);
  const message: MessageId = refusal.state === 'deleted' ? 'state_deleted_archive' : 'state_archive_removed';
  return withLog(seeOther(pathOf(context, id), { tone: 'bad', message }), { outcome: refusal.code });
}
