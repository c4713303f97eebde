import type {
  AccountId,
  EventId,
  FeedId,
  FeedPart,
  FeedPlace,
  FeedQuery,
  HistoryEvent,
  RoleId,
} from '@pinfold/core';

type FeedEvent = Pick<HistoryEvent, 'id' | 'account'>;

interface Feed {
  readonly numbers: Map<EventId, number>;
  begin: FeedPlace;
  last: FeedPlace;
}

/** The feeds of all accounts, by account, and under `undefined` that of everything. */
export class Feeds {
  readonly id: FeedId = crypto.randomUUID().replaceAll('-', '') as FeedId;
  readonly #feeds: Map<AccountId | undefined, Feed> = new Map();

  add(event: FeedEvent): void {
    for (const feed of this.#feedsOf(event)) {
      feed.last = { number: feed.last.number + 1, event: event.id };
      feed.numbers.set(event.id, feed.last.number);
    }
  }

  drop(event: FeedEvent): void {
    for (const feed of this.#feedsOf(event)) {
      const number = feed.numbers.get(event.id) ?? 0;
      feed.numbers.delete(event.id);
      if (number > feed.begin.number) feed.begin = { number, event: event.id };
    }
  }

  read({ account, pin, after, limit }: FeedQuery, events: ReadonlyMap<EventId, HistoryEvent>): FeedPart {
    const { begin, last, numbers } = this.#feed(account);
    const items = [...numbers].flatMap(([id, number]) => {
      const event = events.get(id);
      const isWanted = event !== undefined && number > Math.max(after, begin.number) && isOf(event, pin);
      return isWanted ? [{ number, event }] : [];
    });
    const there = after > begin.number ? [...numbers].find(([, number]) => number === after) : undefined;
    return { feed: this.id, begin, last, there: there?.[0], items: items.slice(0, limit) };
  }

  #feedsOf({ account }: FeedEvent): readonly Feed[] {
    return [this.#feed(undefined), ...(account === null ? [] : [this.#feed(account)])];
  }

  #feed(account: AccountId | undefined): Feed {
    const start = { number: 0, event: null };
    const feed = this.#feeds.get(account) ?? { numbers: new Map(), begin: start, last: start };
    this.#feeds.set(account, feed);
    return feed;
  }
}

function isOf(event: HistoryEvent, pin: RoleId | undefined): boolean {
  return pin === undefined || event.pin === pin;
}
