import { sharedUrl } from '@pinfold/http';
import { fieldOf, type SignedInContext } from '../request/request-context.ts';
import type { Answer } from '../response/answer.ts';
import { refuse } from '../response/refuse.ts';

/** Cancels an upload of our script, and answers what has become of it. */
export async function cancel(context: SignedInContext): Promise<Answer> {
  const { account: by, screen } = context;
  const outcome = await screen.useCases.cancel({ by, key: fieldOf(context, 'key') ?? '' });
  if (outcome.kind === 'refused') return refuse(context, 400, 'badFormTitle', 'badFormText');
  if (outcome.kind !== 'published') return { kind: 'json', status: 200, body: outcome };
  const { id, state, expiresAt, passwordProtected } = outcome.publication;
  const shared = { id, sharedUrl: sharedUrl(screen.publicUrl, id), state, expiresAt, passwordProtected };
  return { kind: 'json', status: 200, body: { kind: 'published', ...shared } };
}
