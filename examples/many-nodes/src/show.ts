import { setTimeout } from 'node:timers/promises';
import type { Answer } from './ask.ts';
import type { Machines, Trio } from './machines.ts';
import type { NodeProcess } from './node-process.ts';
import { Person } from './person.ts';
import { type Pin, Publisher, pinOf } from './publisher.ts';

/** Where lines for the person at the terminal go. */
export type Say = (line: string) => void;

const PASSWORD = 'open sesame';

/**
 * Shows what many nodes promise, one after the other, and looks each time whether it is so.
 *
 * @throws Error with the first promise that is not kept.
 */
export async function show(machines: Machines, say: Say, signal: AbortSignal): Promise<void> {
  const key = await Promise.race(machines.nodes.map((node) => node.firstKey));
  await new Show(machines, new Publisher(machines.publicUrl, key, signal), say, signal).run();
}

class Show {
  readonly #machines: Machines;
  readonly #publisher: Publisher;
  readonly #say: Say;
  readonly #signal: AbortSignal;

  constructor(machines: Machines, publisher: Publisher, say: Say, signal: AbortSignal) {
    this.#machines = machines;
    this.#publisher = publisher;
    this.#say = say;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    await this.#firstStart();
    const site = await this.#publishAndView();
    await this.#setPassword(site);
    const { dead, second } = await this.#killAndRetry(site);
    await this.#stop(site, second, dead);
    await this.#restart(dead, second);
  }

  async #firstStart(): Promise<void> {
    const { nodes, publicUrl, front } = this.#machines;
    this.#title('Three nodes of the reference app, on one PostgreSQL and one S3 server');
    for (const { name, pid, port } of nodes) this.#say(`    ${name}: process ${pid}, 127.0.0.1:${port}`);
    this.#say(`    before them, a proxy gives each request to the next one: ${publicUrl}`);
    const pins = await this.#publisher.list(front.port);
    this.#claim(
      pins.length === 1,
      'they started at once on an empty database, and there is one welcome site',
    );
  }

  async #publishAndView(): Promise<Pin> {
    const { nodes, front } = this.#machines;
    this.#title('A site is published, and every node shows it');
    const answer = await this.#publisher.publish(front.port, 'first', 'Hello from many nodes');
    const pin = pinOf(answer);
    this.#claim(answer.status === 201, `${front.latest?.name} published ${pin.shared_url}`);
    for (const node of nodes) await this.#claimShows(node, pin, new Person(this.#signal));
    return pin;
  }

  async #setPassword(pin: Pin): Promise<void> {
    const [one, two, three] = this.#machines.nodes;
    this.#title('A password that one node sets is in force on all at their next request');
    const { status } = await this.#publisher.setPassword(three.port, pin.id, PASSWORD);
    this.#claim(status === 200, `${three.name} set the password`);
    const person = new Person(this.#signal);
    for (const node of [one, two, three]) {
      const { body } = await person.open(node.port, pin.shared_url);
      this.#claim(!showsSite(body, pin) && body.includes('type="password"'), `${node.name} asks for it`);
    }
    const entered = await person.enter(one.port, pin.shared_url, PASSWORD);
    this.#claim(showsSite(entered.body, pin), `entered at ${one.name}, it opens the site`);
    for (const node of [two, three]) await this.#claimShows(node, pin, person, 'without asking again');
  }

  async #killAndRetry(first: Pin): Promise<{ readonly dead: NodeProcess; readonly second: Pin }> {
    const { front, gate, nodes } = this.#machines;
    this.#title('A node is killed (kill -9) in the middle of a publication, and nothing is lost');
    const arrived = gate.shut();
    const lost = this.#publish();
    await arrived;
    const dead = nodes.find(({ port }) => port === front.latest?.port) ?? nodes[0];
    await dead.kill();
    gate.open();
    this.#say(`    ${dead.name} had taken all of the upload and was writing it to the storage: killed`);
    this.#claim(
      (await lost).status === 502,
      'whoever published got no answer, and sends the very same again:',
    );
    const answer = await this.#retry();
    const second = pinOf(answer);
    this.#claim(answer.status === 201, `201 published, by ${servedBy(answer)}`);
    const replay = await this.#publish();
    this.#claim(
      replay.status === 200 && pinOf(replay).id === second.id,
      `200 from ${servedBy(replay)}: the same one, when sent once more`,
    );
    const titles = (await this.#publisher.list(front.port)).map(({ title }) => title);
    this.#claim(
      titles.length === 3 && new Set(titles).size === 3,
      'the list has three publications, each of them once',
    );
    for (const node of othersThan(dead, nodes)) {
      const person = new Person(this.#signal);
      const entered = await person.enter(node.port, first.shared_url, PASSWORD);
      this.#claim(showsSite(entered.body, first), `${node.name} still shows the first site`);
      await this.#claimShows(node, second, person);
    }
    return { dead, second };
  }

  #publish(): Promise<Answer> {
    return this.#publisher.publish(this.#machines.front.port, 'second', 'Published once');
  }

  /** As any client does: waits as long as it is told, and sends the same again. */
  async #retry(): Promise<Answer> {
    for (;;) {
      const answer = await this.#publish();
      if (answer.status !== 409) return answer;
      const pause = Number(answer.headers['retry-after'] ?? 1);
      this.#say(`    409 from ${servedBy(answer)}: it may still be running elsewhere; again in ${pause} s`);
      await setTimeout(pause * 1_000, undefined, { signal: this.#signal });
    }
  }

  async #stop(first: Pin, second: Pin, dead: NodeProcess): Promise<void> {
    this.#title('What one node stops is stopped on the other');
    const [one, other] = othersThan(dead, this.#machines.nodes);
    await this.#publisher.stop(one.port, first.id);
    const { status } = await new Person(this.#signal).open(other.port, first.shared_url);
    this.#claim(status === 404, `stopped at ${one.name}, the first site is 404 at ${other.name}`);
    await this.#claimShows(other, second, new Person(this.#signal));
  }

  async #restart(dead: NodeProcess, second: Pin): Promise<void> {
    this.#title('The killed node comes back');
    const node = await this.#machines.restart(dead);
    this.#say(`    ${node.name}: process ${node.pid}, 127.0.0.1:${node.port}`);
    await this.#claimShows(node, second, new Person(this.#signal));
  }

  async #claimShows(node: NodeProcess, pin: Pin, person: Person, how: string = ''): Promise<void> {
    const { status, body } = await person.open(node.port, pin.shared_url);
    const sentence = `${node.name} shows "${pin.title}" ${how}`.trim();
    this.#claim(status === 200 && showsSite(body, pin), sentence);
  }

  #title(text: string): void {
    this.#signal.throwIfAborted();
    this.#say(`\n${text}`);
  }

  #claim(holds: boolean, sentence: string): void {
    if (!holds) throw new Error(`this does not hold: ${sentence}`);
    this.#say(`  ✓ ${sentence}`);
  }
}

function othersThan(
  node: NodeProcess,
  [one, two, three]: Readonly<Trio>,
): readonly [NodeProcess, NodeProcess] {
  if (node === one) return [two, three];
  return node === two ? [one, three] : [one, two];
}

function showsSite(body: string, { title }: Pin): boolean {
  return body.includes(`<p>${title}`);
}

function servedBy({ headers }: Answer): string {
  return String(headers['x-served-by']);
}
