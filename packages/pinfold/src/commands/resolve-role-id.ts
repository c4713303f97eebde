import type { RoleId } from '@pinfold/core';
import { CommandFailure } from '../command-line/failures.ts';
import { findKnownAddresses } from '../command-line/known-addresses.ts';
import type { ComposedService } from '../compose/compose.ts';
import { type Reference, resolveReference } from '../publishing/publication-reference.ts';
import type { Settings } from '../settings/settings.ts';

/** Resolves a reference to a publication or a name of any account. */
export function resolveRoleId(
  reference: Reference,
  { useCases }: ComposedService,
  settings: Settings,
): Promise<RoleId> {
  return resolveReference(reference, {
    publicUrlFor: async () => (await findKnownAddresses(settings))?.publicUrl,
    siteHostFor: async (id) => {
      const addresses = await findKnownAddresses(settings);
      if (addresses === undefined) return undefined;
      const { viewerMode, sitesUrl, publicUrl } = addresses;
      return viewerMode === 'origin' ? `${id}.${new URL(sitesUrl).host}` : new URL(publicUrl).host;
    },
    findShown: async (segment) => {
      const first = await useCases.visitName(segment);
      const visit = first.kind === 'misspelled' ? await useCases.visitName(first.segment) : first;
      if (visit.kind === 'published') return visit.publication.id;
      throw new CommandFailure(
        'The name shows no publication in service; give the id of the publication ("pinfold history --name" lists them).',
        'not_found',
      );
    },
  });
}
