import type { ServerResponse } from 'node:http';
import { totalmem } from 'node:os';
import { cutWhenSilent } from './silent-client.ts';
import { UnavailableError } from './unavailable-error.ts';
import { hasLeft } from './until-gone.ts';

/** Milliseconds between two ticks, and the ticks over which an answer is measured. */
const TICK = 1_000;
const MEASURED_TICKS = 5;

/** An answer is slow if its client takes less than this in {@link MEASURED_TICKS}, in bytes. */
const SLOW_BYTES = 16_384;

/** Answers up to this size, in bytes, are taken on even when there are too many bytes, and stand in no line with larger ones. */
export const SMALL_ANSWER = 65_536;

/** Seconds after which a client may try again when there are. */
const BUSY_FOR = 1;

const PIECE = 65_536;
const SMALL_PIECE = 16_384;

/**
 * Counts the bytes of answers that are loaded, or given to a connection, and not taken by the client yet. All doors of a
 * process share one. Past a sixteenth of the memory, answers should go in small pieces. Past an eighth, slow answers are
 * cut off, and {@link OutgoingBytes.admit} lets no further large one begin.
 */
export class OutgoingBytes {
  /** Bytes of memory that the process may use. */
  memory: number;
  /** So many answers on their way are too many, however few their bytes: each has a connection. */
  maxAnswers: number = Number.POSITIVE_INFINITY;
  #bytes = 0;
  readonly #answers: Map<ServerResponse, OutgoingAnswer> = new Map();
  #slowest: Iterator<OutgoingAnswer, undefined> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(memory: number = systemMemory()) {
    this.memory = memory;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The most bytes of an answer's next piece. */
  get piece(): number {
    return this.hasRoomFor(PIECE) ? PIECE : SMALL_PIECE;
  }

  /** Whether so many more bytes stay below a sixteenth of the memory. */
  hasRoomFor(bytes: number): boolean {
    return this.#bytes + bytes <= this.memory / 16;
  }

  /**
   * Every answer asks before it begins.
   *
   * @param bytes of its body.
   * @throws UnavailableError as {@link refusal} says.
   */
  admit(bytes: number): void {
    const refusal = this.refusal(bytes);
    if (refusal !== undefined) throw refusal;
  }

  /** Why an answer with so many bytes may not begin: it is a large one, and there is no room after slow ones were cut off. */
  refusal(bytes: number): UnavailableError | undefined {
    if (bytes <= SMALL_ANSWER || !this.#isFull) return undefined;
    this.#cut();
    return this.#isFull ? new UnavailableError(BUSY_FOR) : undefined;
  }

  /** Counts bytes that are loaded for no one answer. Negative: they no longer are. */
  load(bytes: number): void {
    this.#bytes += bytes;
  }

  get #isFull(): boolean {
    return this.#bytes > this.memory / 8 || this.#answers.size >= this.maxAnswers;
  }

  /**
   * Follows an answer until its response closes.
   *
   * @param client the client's address; of IPv6, its /64.
   */
  follow(response: ServerResponse, client: string): OutgoingAnswer {
    const known = this.#answers.get(response);
    if (known !== undefined) return known;
    const answer = new OutgoingAnswer(response, client, (bytes) => this.load(bytes));
    // Its `close` would not come.
    if (hasLeft(response)) {
      answer.end();
      return answer;
    }
    this.#answers.set(response, answer);
    this.#timer ??= setInterval(() => this.tick(), TICK).unref();
    response.once('close', () => this.#drop(answer));
    cutWhenSilent(response);
    return answer;
  }

  /** Follows an answer that was written whole, unless its client has taken it already. An app may pass it on later. */
  followWritten(response: ServerResponse, client: () => string): void {
    // Not a number for a response without a connection.
    if (!(response.writableLength > 0) && response.writableEnded) return;
    this.follow(response, client()).measure();
  }

  /** Measures all answers. Runs each second by itself. */
  tick(): void {
    for (const answer of this.#answers.values()) answer.tick();
    this.#slowest = this.#inOrder();
    this.#cut();
  }

  #cut(): void {
    while (this.#isFull && this.endSlowest());
  }

  /** Cuts off the slowest answer; false when none is slow. */
  endSlowest(): boolean {
    for (;;) {
      const answer = this.#slowest?.next().value;
      if (answer === undefined) return false;
      if (!answer.isSlow) continue;
      this.#drop(answer);
      answer.response.destroy();
      return true;
    }
  }

  /**
   * Slow answers, the slowest first; of equals one of the client with the most bytes in slow answers. No answer becomes
   * slow between two ticks, so that one pass over all of them serves a second of new answers.
   */
  *#inOrder(): Generator<OutgoingAnswer, undefined> {
    const slow = [...this.#answers.values()].filter((answer) => answer.isSlow);
    const held = new Map<string, number>();
    const add = (client: string, bytes: number): void => {
      held.set(client, (held.get(client) ?? 0) + bytes);
    };
    for (const { client, bytes } of slow) add(client, bytes);
    const bySpeed = Map.groupBy(slow, (answer) => answer.takenLately);
    for (const [, equals] of [...bySpeed].toSorted(([one], [other]) => one - other)) {
      const byClient = Map.groupBy(equals, ({ client }) => client);
      while (byClient.size > 0) {
        const client = [...byClient.keys()].reduce((most, one) =>
          (held.get(one) ?? 0) > (held.get(most) ?? 0) ? one : most,
        );
        const answer = byClient.get(client)?.pop();
        if (answer === undefined) byClient.delete(client);
        else {
          add(client, -answer.bytes);
          yield answer;
        }
      }
    }
    return undefined;
  }

  #drop(answer: OutgoingAnswer): void {
    if (!this.#answers.delete(answer.response)) return;
    answer.end();
    if (this.#answers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** One answer, as its bytes are loaded and taken. */
export class OutgoingAnswer {
  readonly response: ServerResponse;
  readonly client: string;
  readonly #count: (bytes: number) => void;
  #loaded = 0;
  #given = 0;
  #untaken = 0;
  #isOver = false;
  /** What was taken at the last ticks, the oldest first. */
  readonly #taken: number[] = [];

  constructor(response: ServerResponse, client: string, count: (bytes: number) => void) {
    this.response = response;
    this.client = client;
    this.#count = count;
  }

  get bytes(): number {
    return this.#loaded + this.#untaken;
  }

  /** Counts bytes that are loaded and not given yet. Negative: they no longer are. */
  load(bytes: number): void {
    if (this.#isOver) return;
    this.#loaded += bytes;
    this.#count(bytes);
  }

  /** Counts bytes that were written to the response, until the client takes them. */
  countWritten(bytes: number): void {
    this.#given += bytes;
    this.measure();
  }

  measure(): void {
    if (this.#isOver) return;
    // Not a number for a response without a connection.
    const untaken = this.response.writableLength || 0;
    this.#count(untaken - this.#untaken);
    this.#untaken = untaken;
    // What an app passed on later, nobody told of.
    this.#given = Math.max(this.#given, untaken);
  }

  tick(): void {
    this.measure();
    this.#taken.push(this.#given - this.#untaken);
    if (this.#taken.length > MEASURED_TICKS + 1) this.#taken.shift();
  }

  /** Bytes that the client took in the last five seconds. */
  get takenLately(): number {
    return this.#given - this.#untaken - (this.#taken[0] ?? 0);
  }

  /** Whether the client has had five seconds, and took little of what was there for it. */
  get isSlow(): boolean {
    return (
      !this.#isOver &&
      this.#untaken > 0 &&
      this.#taken.length > MEASURED_TICKS &&
      this.takenLately < SLOW_BYTES
    );
  }

  end(): void {
    this.#count(-this.bytes);
    this.#isOver = true;
  }
}

/** Bytes of memory: the limit of the process's cgroup, else what the machine has. */
export function systemMemory(): number {
  return Math.min(process.constrainedMemory?.() || Number.POSITIVE_INFINITY, totalmem());
}

/** One of the whole process, whose memory all clients share. */
export const outgoingBytes: OutgoingBytes = new OutgoingBytes();
