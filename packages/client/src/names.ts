import type { CallOptions, PageQuery } from './options.ts';
import { everyPage, isNothing, queryOf, type Sender, waitFor } from './sender.ts';
import { is, type Name, type NameAnswer, type NameList } from './wire.ts';

const NAMES = '/api/v1/names';

/** The names of a key's account: each is a link that shows one of its publications. */
export class Names {
  readonly #sender: Sender;

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /** All names, sorted. */
  list({
    pageSize: limit = 100,
    signal,
  }: CallOptions & { readonly pageSize?: number | undefined } = {}): AsyncGenerator<Name, void, undefined> {
    return everyPage(async (cursor) => {
      const page = await this.listPage({ cursor, limit, signal });
      return [page.names, page.next_cursor];
    });
  }

  /** One page of the names, sorted. */
  listPage({ cursor, limit, signal }: Omit<PageQuery, 'state' | 'idempotencyKey'> = {}): Promise<NameList> {
    return this.#sender.read(`${NAMES}${queryOf({ cursor, limit })}`, is('NameList'), signal);
  }

  get(name: string, { signal }: CallOptions = {}): Promise<NameAnswer> {
    return this.#sender.read(createPath(name), is('NameAnswer'), signal);
  }

  /** Points a name at a publication; creates the name if it is new. */
  set(name: string, id: string, { signal }: CallOptions = {}): Promise<NameAnswer> {
    const request = {
      ...this.#sender.request('PUT', createPath(name), is('NameAnswer'), signal),
      headers: { 'content-type': 'application/json' },
      body: () => JSON.stringify({ pin: id }),
    };
    return this.#sender.send(request, 'unanswered');
  }

  /** Deletes a name. After a lost answer, a 404 means that it is deleted. */
  async delete(name: string, { signal }: CallOptions = {}): Promise<void> {
    const request = this.#sender.request('DELETE', createPath(name), isNothing, signal);
    const schedule = this.#sender.schedule(signal);
    for (let mayBeDeleted = false; ; ) {
      const outcome = await this.#sender.attempt(request);
      if (outcome.kind === 'answered' || (mayBeDeleted && outcome.error.status === 404)) return;
      await waitFor(outcome, schedule);
      mayBeDeleted ||= !outcome.postponed;
    }
  }
}

/** Callers without types may pass a number, and `encodeURIComponent` throws for a lone surrogate. */
function createPath(name: string): string {
  return `${NAMES}/${encodeURIComponent(`${name}`.toWellFormed())}`;
}
