import { sharedUrl } from '@pinfold/http';
import type { Screen } from '../options.ts';
import type { SignedInContext } from '../request/request-context.ts';
import type { Answer } from '../response/answer.ts';
import { notFound } from '../response/refuse.ts';
import { read } from './publications.ts';

/** Draws the shared URL of a publication as a QR code. */
export async function showCode(screen: Screen, visit: SignedInContext): Promise<Answer> {
  const publication = await read(screen, visit);
  if (publication === undefined) return notFound(visit);
  // Few visits need it, and no start.
  const { encodeQR } = await import('qr');
  const draw = async () => encodeQR(sharedUrl(screen.publicUrl, publication.id), 'svg');
  return { kind: 'picture', svg: await screen.pageTurns.run(visit.account, visit.signal, draw) };
}
