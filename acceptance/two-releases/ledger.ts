import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, Client, siteOf } from '../service/client.ts';

/** A server in path mode, and the account's client of it. */
export interface Node {
  readonly url: string;
  readonly client: Client;
}

interface Published {
  readonly text: string;
  title: string | null;
  isStopped: boolean;
  name: string | undefined;
}

/** In turn, a publication is renamed, named, stopped or left unchanged. */
const KINDS = 4;

/** The changes that any server of a service has acknowledged. */
export class Ledger {
  /** Requests that a server refused or left unanswered, and that were sent again. */
  repeated = 0;
  /** By id. */
  readonly #published = new Map<string, Published>();
  readonly #key: string;
  #begun = 0;

  constructor(key: string) {
    this.#key = key;
  }

  get size(): number {
    return this.#published.size;
  }

  nodeAt(url: string): Node {
    return { url, client: new Client(url, this.#key) };
  }

  /** Publishes and changes publications through the current nodes. */
  async add(nodes: () => readonly Node[]): Promise<void> {
    const key = randomUUID();
    const published = { text: `site ${key}`, title: null, isStopped: false, name: undefined } as Published;
    const { pin } = await this.#acknowledged(nodes, [200, 201], ({ client }) =>
      client.publish(key, siteOf(published.text)),
    );
    if (pin === undefined) throw new Error('an answer without a publication');
    const { id } = pin;
    const kind = this.#begun % KINDS;
    this.#begun += 1;
    if (kind === 1) {
      const title = `title ${key}`;
      await this.#acknowledged(nodes, [200], ({ client }) => client.patch(id, { title }));
      published.title = title;
    } else if (kind === 2) {
      const name = `name-${key}`;
      await this.#acknowledged(nodes, [200, 201], ({ client }) => client.point(name, id));
      published.name = name;
    } else if (kind === 3) {
      await this.#acknowledged(nodes, [204, 404, 409], ({ client }) => client.stop(id));
      published.isStopped = true;
    }
    this.#published.set(id, published);
  }

  /** The differences of a node from the acknowledged changes. */
  async differences(node: Node): Promise<readonly string[]> {
    const found: string[] = [];
    for (const [id, published] of [...this.#published]) {
      const { title, isStopped, name } = published;
      const { pin } = await node.client.read(id);
      const page = await fetch(`${node.url}/s/${id}/`);
      const shown = (await page.text()).includes(published.text);
      const hasName = name === undefined || (await node.client.named(name)) === id;
      const isRight =
        pin?.title === title && (pin.state === 'deleted') === isStopped && shown === !isStopped && hasName;
      if (!isRight) found.push(`${id}: ${JSON.stringify({ pin, shown, hasName, published })}`);
    }
    return found;
  }

  /** Sends a request to the nodes in turn until one answers, like a proxy with a client that retries. */
  async #acknowledged(
    nodes: () => readonly Node[],
    expected: readonly number[],
    ask: (node: Node) => Promise<Answer>,
  ): Promise<Answer> {
    for (let turn = Math.floor(Math.random() * KINDS); ; turn += 1) {
      const current = nodes();
      const node = current[turn % current.length];
      const answer = node === undefined ? undefined : await ask(node).catch(() => undefined);
      if (answer !== undefined && expected.includes(answer.status)) return answer;
      if (answer !== undefined && ![409, 503].includes(answer.status))
        throw new Error(`${answer.status} ${answer.code}`);
      this.repeated += 1;
      await pause(50);
    }
  }
}
