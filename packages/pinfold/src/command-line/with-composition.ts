import type { AccountId, Refusal, RoleId } from '@pinfold/core';
import type { Administration } from '@pinfold/core/administration';
import { findKnownAddresses } from '../api-client/machine-server.ts';
import type { ComposedService, ComposeOptions } from '../compose/compose.ts';
import { type Reference, resolveReference } from '../publishing/publications.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import { CommandFailure } from './failures.ts';
import type { Terminal } from './terminal.ts';

/** Opens the service of this machine's settings, and closes it after the task. */
export async function withComposition<Result>(
  { env, err }: Terminal,
  task: (composition: ComposedService, settings: Settings) => Promise<Result>,
  options: ComposeOptions = {},
): Promise<Result> {
  const settings = readSettings(env);
  for (const note of settings.notes) err(`pinfold: ${note}`);
  const { compose } = await import('../compose/compose.ts');
  const composition = await compose(settings, { purpose: 'command', ...options });
  try {
    return await task(composition, settings);
  } finally {
    await composition.close();
  }
}

const PAGE_SIZE = 100;

/** Reads a list to its end. Throws if a page is refused, so that an incomplete list does not look complete. */
export async function* everyItem<
  Page extends { readonly kind: 'page'; readonly next: string | undefined },
  Item,
>(
  read: (page: { readonly limit: number; readonly cursor?: string }) => Promise<Page | Refusal>,
  itemsOf: (page: Page) => readonly Item[],
): AsyncGenerator<Item> {
  let cursor: string | undefined;
  do {
    const page = await read({ limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) });
    if (page.kind === 'refused')
      throw new CommandFailure(`the list cannot be read to its end: ${page.code}`, page.code);
    yield* itemsOf(page);
    cursor = page.next;
  } while (cursor !== undefined);
}

/** Throws if the account is being erased; `consequence` names what is not done for it. */
export async function checkNotErasing(
  administration: Pick<Administration, 'showAccount'>,
  account: AccountId,
  consequence: string,
): Promise<void> {
  const found = await administration.showAccount(account);
  if (found?.account.blocked?.isErasing !== true) return;
  throw new CommandFailure(`the account is being erased: ${consequence}`, 'invalid_state');
}

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
