import type { Change, LimitsAnswer, PageQuery, Pin, PinList } from '@pinfold/client';
import {
  type AccountId,
  type Duration,
  isFault,
  type Publication,
  type PublishOutcome,
  parseIdempotencyKey,
  type RoleState,
  type Update,
  type UpdateOutcome,
} from '@pinfold/core';
import { limitsAnswerOf, nameOf, pinOf, wireWarnings } from '@pinfold/http-express/internal';
import { operatorCause } from '../command-line/by-command.ts';
import { CommandFailure } from '../command-line/failures.ts';
import { linkAddresses, printableAddresses } from '../command-line/known-addresses.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { everyItem } from '../commands/every-item.ts';
import type { ComposedService } from '../compose/compose.ts';
import type { Settings } from '../settings/settings.ts';
import type { WebAddresses } from '../settings/web-addresses.ts';
import { type Attempt, retryUntilDone } from './persist.ts';
import type { Checked, Published, PublishRequest } from './publication.ts';
import type { Names, Publications } from './publications.ts';
import { accepted, noName, readArgument, refused } from './refusal-text.ts';

/** Works with the publications of an account on this machine: without a server and without a key. */
export async function withLocalPublications<Result>(
  terminal: Terminal,
  account: AccountId,
  task: (publications: Publications) => Promise<Result>,
): Promise<Result> {
  return withComposition(terminal, async (composition, settings) => {
    return task(
      new LocalPublications(composition, account, await linkAddresses(settings), settings, terminal),
    );
  });
}

/** The names of an account on this machine. */
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
    get: async (name) => {
      const outcome = await names.get(request(name));
      if (outcome.kind === 'refused') throw noName();
      return nameOf(outcome.name, publicUrl);
    },
    set: async (name, pin) => {
      const set = accepted(await names.set({ ...request(name), pin }));
      return nameOf(set.name, publicUrl);
    },
    delete: async (name) => {
      const outcome = await names.delete(request(name));
      if (outcome.kind === 'refused' && outcome.code === 'not_found') throw noName();
      accepted(outcome);
    },
  };
}

class LocalPublications implements Publications {
  readonly names: Names;
  readonly #useCases: ComposedService['useCases'];
  readonly #by: AccountId;
  readonly #addresses: WebAddresses;
  readonly #settings: Settings;
  readonly #terminal: Terminal;

  constructor(
    { useCases }: ComposedService,
    by: AccountId,
    addresses: WebAddresses,
    settings: Settings,
    terminal: Terminal,
  ) {
    this.#useCases = useCases;
    this.#by = by;
    this.#addresses = addresses;
    this.#settings = settings;
    this.#terminal = terminal;
    this.names = localNames(useCases.names, by, addresses.publicUrl);
  }

  async publish(request: PublishRequest): Promise<Published> {
    const { err, progress } = this.#terminal;
    const { addresses, warning } = await printableAddresses(this.#settings);
    progress?.('checking');
    const note = (reason: Error, pause: Duration): void =>
      err(`${reason.message.replace(/\.$/, '')}; trying again in ${Math.ceil(pause / 1_000)} s`);
    const attempt = () => this.#attempt(request);
    const { kind, publication, warnings, name } = await retryUntilDone(this.#useCases.clock, attempt, note);
    if (warning !== undefined) err(warning);
    const { publicUrl } = addresses;
    return {
      pin: pinOf(publication, publicUrl),
      warnings: wireWarnings(warnings),
      ...(name !== undefined && { name: name && nameOf(name, publicUrl) }),
      replayed: kind === 'replayed',
    };
  }

  async check({ filename, title, bytes }: PublishRequest): Promise<Checked> {
    const request = { by: this.#by, filename, title: title ?? null, archive: bytes };
    const { fileCount, size, warnings } = accepted(await this.#useCases.check(request));
    return { archive: { file_count: fileCount, size }, warnings: wireWarnings(warnings) };
  }

  async *list(state: RoleState | undefined): AsyncGenerator<Pin> {
    const filter = { by: this.#by, ...(state === undefined ? {} : { state }) };
    const publications = everyItem(
      (page) => this.#useCases.list({ ...filter, ...page }),
      (page) => page.publications,
    );
    for await (const publication of publications) yield this.#pinOf(publication);
  }

  async listPage({ state, cursor, limit }: PageQuery): Promise<PinList> {
    const { publications, next } = accepted(
      await this.#useCases.list({
        by: this.#by,
        ...(state === undefined ? {} : { state }),
        ...(cursor === undefined ? {} : { cursor }),
        ...(limit === undefined ? {} : { limit }),
      }),
    );
    const pins = publications.map((publication) => this.#pinOf(publication));
    return { pins, next_cursor: next ?? null };
  }

  async limits(): Promise<LimitsAnswer> {
    const account = await this.#useCases.accounts.load(this.#by);
    return limitsAnswerOf(this.#useCases, this.#by, account?.value, null);
  }

  async get(id: string): Promise<Pin> {
    return this.#pinOf(accepted(await this.#useCases.read({ by: this.#by, id })).publication);
  }

  async update(id: string, change: Change): Promise<Pin> {
    return this.#changed(await this.#useCases.update(this.#request(id), updateOf(change)));
  }

  async stop(id: string): Promise<void> {
    this.#changed(await this.#useCases.stop(this.#request(id)));
  }

  async createGrant(id: string): Promise<string> {
    const { createViewer } = await import('@pinfold/viewer');
    const { viewerMode: mode, ...urls } = this.#addresses;
    const viewer = createViewer({ ...urls, mode, useCases: this.#useCases });
    return accepted(await viewer.createGrant(this.#request(id))).url;
  }

  #request(id: string) {
    return { by: this.#by, id, cause: operatorCause() };
  }

  #changed(outcome: UpdateOutcome): Pin {
    return this.#pinOf(accepted(outcome).publication);
  }

  #pinOf(publication: Publication): Pin {
    return pinOf(publication, this.#addresses.publicUrl);
  }

  async #attempt({
    idempotencyKey,
    bytes,
    filename,
    title,
    name,
    password,
  }: PublishRequest): Promise<Attempt<Exclude<PublishOutcome, { kind: 'refused' }>>> {
    const { clock, limits, publish } = this.#useCases;
    const key = readArgument(parseIdempotencyKey(idempotencyKey, limits));
    try {
      const request = { by: this.#by, key, filename, archive: bytes, cause: operatorCause() };
      const wanted = { title: title ?? null, name: name ?? null, password: password ?? null };
      const outcome = await publish({ ...request, ...wanted });
      if (outcome.kind !== 'refused') return { kind: 'done', result: outcome };
      switch (outcome.code) {
        case 'idempotency_in_progress':
        case 'rate_limited': {
          const message = {
            rate_limited: 'The account has reached its rate of publications',
            idempotency_in_progress: 'Another process is publishing this right now',
          }[outcome.code];
          const wait = Math.max(0, outcome.retryAt - clock.now()) as Duration;
          return { kind: 'again', after: wait, reason: new CommandFailure(message, { code: outcome.code }) };
        }
        default:
          throw refused(outcome);
      }
    } catch (error) {
      if (!isFault(error) || !error.retryable) throw error;
      return { kind: 'again', after: undefined, reason: error };
    }
  }
}

function updateOf(change: Change): Update {
  if ('title' in change) return { type: 'set_title', title: change.title ?? null };
  if ('password' in change) return { type: 'set_password', password: change.password ?? null };
  return { type: 'reset_expiration' };
}
