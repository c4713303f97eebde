import type { Change, PageQuery, Pin } from '@pinfold/client';
import {
  type AccountId,
  type Publication,
  type PublishOutcome,
  parseIdempotencyKey,
  type Update,
} from '@pinfold/core';
import { dayText } from '@pinfold/core/internal';
import { eventOf, limitsAnswerOf, nameOf, pinOf, wireWarnings } from '@pinfold/http-express/internal';
import { knownAddresses, linkAddresses, printableAddresses } from '../command-line/known-addresses.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { everyItem } from '../commands/every-item.ts';
import type { ComposedService } from '../compose/compose.ts';
import { operatorCause } from '../identity.ts';
import type { Settings } from '../settings/settings.ts';
import type { WebAddresses } from '../settings/web-addresses.ts';
import { RetryLater, retryUntilDone } from './persist.ts';
import type { Names, Publications, PublishRequest } from './publications.ts';
import { accepted, catalogueText, noName, readArgument, refused } from './refusal-text.ts';

export async function withLocalPublications<Result>(
  terminal: Terminal,
  account: AccountId,
  task: (publications: Publications) => Promise<Result>,
): Promise<Result> {
  return withComposition(terminal, async (composition, settings) =>
    task(localPublications(composition, account, await linkAddresses(settings), settings, terminal)),
  );
}

function localNames(
  names: ComposedService['useCases']['names'],
  by: AccountId,
  publicUrl: WebAddresses['publicUrl'],
): Names {
  const request = (name: string) => ({ by, name, cause: operatorCause() });
  return {
    list: () =>
      everyItem(
        (page) => names.list({ by, ...page }),
        (page) => page.names.map((name) => nameOf(name, publicUrl)),
      ),
    listPage: async (query) => {
      const page = accepted(await names.list({ by, ...definedIn(query) }));
      return { names: page.names.map((name) => nameOf(name, publicUrl)), next_cursor: page.next ?? null };
    },
    get: async (name) => {
      const outcome = await names.get(request(name));
      if (outcome.kind === 'refused') throw noName();
      return nameOf(outcome.name, publicUrl);
    },
    set: async (name, pin) => {
      const set = accepted(await names.set({ ...request(name), pin }), 'name');
      return nameOf(set.name, publicUrl);
    },
    delete: async (name) => {
      const outcome = await names.delete(request(name));
      if (outcome.kind === 'refused' && outcome.code === 'not_found') throw noName();
      accepted(outcome);
    },
  };
}

function localPublications(
  { useCases, views, history }: ComposedService,
  by: AccountId,
  { viewerMode: mode, ...urls }: WebAddresses,
  settings: Settings,
  { err, progress }: Terminal,
): Publications {
  const toPin = (publication: Publication): Pin => pinOf(publication, urls.publicUrl);
  const request = (id: string) => ({ by, id, cause: operatorCause() });
  return {
    names: localNames(useCases.names, by, urls.publicUrl),
    publish: async (wanted) => {
      const { addresses, warning } = await printableAddresses(settings);
      progress?.('checking');
      const attempt = () => publishOnce(useCases, by, wanted);
      const { kind, publication, warnings, name } = await retryUntilDone(useCases.clock, attempt, err);
      if (warning !== undefined) err(warning);
      const { publicUrl } = addresses;
      return {
        pin: pinOf(publication, publicUrl),
        warnings: wireWarnings(warnings),
        ...(name !== undefined && { name: name && nameOf(name, publicUrl) }),
        replayed: kind === 'replayed',
      };
    },
    check: async ({ bytes: archive }) => {
      const checked = accepted(await useCases.check({ by, archive }));
      const { fileCount, size, warnings } = checked;
      return { archive: { file_count: fileCount, size }, warnings: wireWarnings(warnings) };
    },
    list: (state) =>
      everyItem(
        (page) => useCases.list({ by, ...page, ...(state && { state }) }),
        ({ publications }) => publications.map(toPin),
      ),
    listPage: async ({ state, cursor, limit }) => {
      const { publications, next } = accepted(
        await useCases.list({
          by,
          ...(state && { state }),
          ...definedIn({ cursor, limit }),
        }),
      );
      return { pins: publications.map(toPin), next_cursor: next ?? null };
    },
    limits: async () => {
      const account = await useCases.accounts.load(by);
      return limitsAnswerOf(useCases, by, account?.value, null);
    },
    history: () =>
      everyItem(
        (page) => history.list({ by, ...page }),
        ({ events }) => events.map(eventOf),
      ),
    publicUrlFor: async () => (await knownAddresses(settings))?.publicUrl,
    get: async (id) => toPin(accepted(await useCases.read({ by, id })).publication),
    getViewed: async (id) => {
      const { publication } = accepted(await useCases.read({ by, id }));
      const counted = await views.of(publication.id);
      return {
        pin: toPin(publication),
        views: counted.map(({ day, views: count, refusedPasswords }) => ({
          day: dayText(day),
          views: count,
          refused_passwords: refusedPasswords,
        })),
      };
    },
    update: async (id, change) => {
      const operation = 'reset_expiration' in change ? 'reset_expiration' : 'change';
      const outcome = await useCases.update(request(id), updateOf(change));
      return toPin(accepted(outcome, operation).publication);
    },
    stop: async (id) => void accepted(await useCases.stop(request(id)), 'stop'),
    createGrant: async (id) => {
      const { createViewer } = await import('@pinfold/viewer');
      const viewer = createViewer({ ...urls, mode, useCases });
      return accepted(await viewer.createGrant(request(id)), 'open').url;
    },
  };
}

const LATER = {
  rate_limited: 'rate_limited_publications',
  idempotency_in_progress: 'idempotency_in_progress',
} as const;

/** @throws RetryLater when the service refuses for now. */
async function publishOnce(
  { limits, publish }: ComposedService['useCases'],
  by: AccountId,
  { idempotencyKey, bytes: archive, filename, title, name, password }: PublishRequest,
): Promise<Exclude<PublishOutcome, { kind: 'refused' }>> {
  const key = readArgument(parseIdempotencyKey(idempotencyKey, limits));
  const named = { title: title ?? null, name: name ?? null, password: password ?? null };
  const outcome = await publish({ by, key, filename, archive, ...named, cause: operatorCause() });
  if (outcome.kind !== 'refused') return outcome;
  if (outcome.code !== 'rate_limited' && outcome.code !== 'idempotency_in_progress') throw refused(outcome);
  throw new RetryLater(catalogueText(LATER[outcome.code]), outcome.retryAt);
}

function definedIn({ cursor, limit }: PageQuery): { readonly cursor?: string; readonly limit?: number } {
  return { ...(cursor !== undefined && { cursor }), ...(limit !== undefined && { limit }) };
}

function updateOf(change: Change): Update {
  if ('title' in change) return { type: 'set_title', title: change.title ?? null };
  if ('password' in change) return { type: 'set_password', password: change.password ?? null };
  return { type: 'reset_expiration' };
}
