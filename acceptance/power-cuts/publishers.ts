import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, Client, siteOf } from '../service/client.ts';

/** A value that a client has set: the last acknowledged one must be stored, or one that it has requested since. */
export interface Promised<Value> {
  answered: Value;
  readonly requested: Value[];
}

/** A publication with its acknowledged changes. */
export interface PromisedPin {
  readonly archive: Uint8Array<ArrayBuffer>;
  id: string | undefined;
  readonly isThere: Promised<boolean>;
  readonly title: Promised<string | null>;
  readonly hasPassword: Promised<boolean>;
  readonly isStopped: Promised<boolean>;
}

/** All acknowledged changes. */
export interface Promises {
  readonly pins: PromisedPin[];
  /** The publication that each name shows. */
  readonly names: Record<string, Promised<string | undefined>>;
  /** The count of each status; 0 stands for no answer. */
  readonly answers: Record<number, number>;
}

const PUBLISHERS = 8;
/** The others answer the same: a replay must not show a change that is not on the disk. */
const REPLAYS = 2;

/** The server and the key of clients, and how they work. */
export interface Publishing {
  readonly url: () => string;
  readonly key: string;
  /** Whether they repeat a request while it is running. */
  readonly repeats: boolean;
}

/** Publishes, and changes publications, until `ended` is aborted. */
export async function publishUntil(ended: AbortSignal, how: Publishing, promises: Promises): Promise<void> {
  await Promise.all(Array.from({ length: PUBLISHERS }, () => new Publisher(how, promises).work(ended)));
}

class Publisher {
  readonly #how: Publishing;
  readonly #promises: Promises;
  readonly #own: PromisedPin[] = [];
  readonly #name = `site-${randomUUID()}`;

  constructor(how: Publishing, promises: Promises) {
    this.#how = how;
    this.#promises = promises;
  }

  async work(ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      const pin = this.#own.at(-randomInt(1, 4));
      const change = randomInt(10);
      if (pin === undefined || change < 4) await this.#publish();
      else if (change < 6) await this.#retitle(pin);
      else if (change < 7) await this.#protect(pin);
      else if (change < 9) await this.#point(pin);
      else await this.#end(pin);
    }
  }

  async #publish(): Promise<void> {
    const key = randomUUID();
    const pin: PromisedPin = {
      archive: siteOf(key),
      id: undefined,
      isThere: promised(false),
      title: promised(null),
      hasPassword: promised(false),
      isStopped: promised(false),
    };
    this.#promises.pins.push(pin);
    const publish = (): Promise<void> =>
      this.#set(pin.isThere, true, async (client) => {
        const answer = await client.publish(key, pin.archive);
        pin.id ??= answer.pin?.id;
        return answer;
      });
    const replays = Array.from({ length: this.#how.repeats ? REPLAYS : 0 }, async () => {
      await pause(randomInt(40));
      await publish();
    });
    await Promise.all([publish(), ...replays]);
    if (pin.isThere.answered) this.#own.push(pin);
  }

  async #retitle(pin: PromisedPin): Promise<void> {
    const title = randomUUID();
    const retitle = (): Promise<void> =>
      this.#set(pin.title, title, (client) => client.patch(idOf(pin), { title }));
    const again = this.#how.repeats ? pause(randomInt(20)).then(retitle) : undefined;
    await Promise.all([retitle(), again]);
  }

  async #protect(pin: PromisedPin): Promise<void> {
    await this.#set(pin.hasPassword, true, (client) => client.patch(idOf(pin), { password: randomUUID() }));
  }

  async #point(pin: PromisedPin): Promise<void> {
    const name = `${this.#name}-${randomInt(2)}`;
    this.#promises.names[name] ??= promised<string | undefined>(undefined);
    await this.#set(this.#promises.names[name], idOf(pin), (client) => client.point(name, idOf(pin)));
  }

  async #end(pin: PromisedPin): Promise<void> {
    this.#own.splice(this.#own.indexOf(pin), 1);
    await this.#set(pin.isStopped, true, (client) => client.stop(idOf(pin)));
  }

  /** A failed or missing answer promises nothing, and the change may be stored later. */
  async #set<Value>(
    of: Promised<Value>,
    value: Value,
    ask: (client: Client) => Promise<Answer>,
  ): Promise<void> {
    of.requested.push(value);
    const { status } = await ask(new Client(this.#how.url(), this.#how.key)).catch(() => ({ status: 0 }));
    this.#promises.answers[status] = (this.#promises.answers[status] ?? 0) + 1;
    if (status >= 200 && status < 300) of.answered = value;
    if (status >= 200 && status < 500) of.requested.splice(of.requested.indexOf(value), 1);
    // There is no answer for a while when the server is restarted.
    else await pause(100);
  }
}

function promised<Value>(answered: Value): Promised<Value> {
  return { answered, requested: [] };
}

function idOf({ id }: PromisedPin): string {
  if (id === undefined) throw new Error('it has no id before it was published');
  return id;
}
