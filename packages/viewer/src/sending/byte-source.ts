import type { ManifestEntry, Publication } from '@pinfold/core';
import { clientOf } from '@pinfold/http/internal';
import type { Exchange } from '../exchange.ts';
import type { BodyTools } from './bodies.ts';
import type { LookAgain } from './send-pieces.ts';
import type { SiteFile } from './site-files.ts';

/** The source of an answer's bytes, and their viewer. */
export interface PieceSource extends BodyTools {
  readonly publication: Publication;
  readonly entry: ManifestEntry;
  /** The client whose turn an inflation takes. */
  readonly client: string;
  /** Aborts when the viewer has left. */
  readonly signal: AbortSignal;
}

export function sourceOf(
  { context: { tools, settings }, request }: Exchange,
  { publication, file }: { readonly publication: Publication; readonly file: SiteFile },
  signal: AbortSignal,
): PieceSource {
  return {
    ...tools,
    publication,
    entry: file.entry,
    client: clientOf(settings.clientAddress(request)),
    signal,
  };
}

/** Looks at a publication as a new request would. */
export function lookingAt({ context: { useCases } }: Exchange, { id }: Publication): LookAgain {
  return async (left) => {
    const now = await useCases.visit(id, left);
    return now.kind === 'published' ? undefined : now;
  };
}
