import type { ServerResponse } from 'node:http';
import { totalmem } from 'node:os';
import type { AccountId } from '@pinfold/core';
import { cutWhenSilent, hasLeft } from './gone-clients.ts';
import { UnavailableError } from './unavailable-error.ts';

/** Milliseconds between two measurements. */
const TICK = 1_000;
/** The number of ticks over which the speed of an answer is measured. */
const MEASURED_TICKS = 5;

/** An answer is slow if its client receives less than this in {@link MEASURED_TICKS}, in bytes. */
const SLOW_BYTES = 16_384;

/** Answers up to this size, in bytes, are admitted even when memory is full, and have a queue of their own. */
export const SMALL_ANSWER = 65_536;

/** `Retry-After` while memory is full. */
const RETRY_SECONDS = 1;

const LARGE_PIECE = 65_536;
const SMALL_PIECE = 16_384;

/**
 * Counts the bytes of answers that are loaded, or written to a connection, and not sent yet. All doors of a process share
 * one. Beyond a sixteenth of the memory, answers should be sent in small pieces. Beyond an eighth, slow answers are
 * destroyed, and {@link OutgoingBytes.admit} refuses further large ones.
 */
export class OutgoingBytes {
  /** The memory that the process may use, in bytes. */
  memory: number;
  /** The maximum number of unsent answers, however few their bytes: each has a connection. */
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

  /** The maximum number of bytes of an answer's next piece. */
  get piece(): number {
    return this.hasRoomFor(LARGE_PIECE) ? LARGE_PIECE : SMALL_PIECE;
  }

  /** Whether a sixteenth of the memory has room for this many more bytes. */
  hasRoomFor(bytes: number): boolean {
    return this.#bytes + bytes <= this.memory / 16;
  }

  /**
   * Call it before an answer begins.
   *
   * @param bytes of its body.
   * @throws UnavailableError as {@link refusal} returns.
   */
  admit(bytes: number): void {
    const refusal = this.refusal(bytes);
    if (refusal !== undefined) throw refusal;
  }

  /** Returns an error for a large answer if memory is full even after slow answers were destroyed. */
  refusal(bytes: number): UnavailableError | undefined {
    if (bytes <= SMALL_ANSWER || !this.#isFull) return undefined;
    this.#destroySlow();
    return this.#isFull ? new UnavailableError(RETRY_SECONDS) : undefined;
  }

  /** Counts bytes that are loaded, for no single answer; a negative number once they are released. */
  countLoaded(bytes: number): void {
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
    const answer = new OutgoingAnswer(response, client, (bytes) => this.countLoaded(bytes));
    // The response will not emit `close` again.
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

  /** Follows an answer that was written whole, unless it is sent already. An app may write it later. */
  followWritten(response: ServerResponse, client: () => string): void {
    // Not a number for a response without a connection.
    if (!(response.writableLength > 0) && response.writableEnded) return;
    this.follow(response, client()).measure();
  }

  /** Measures all answers. Called every second while there are any. */
  tick(): void {
    for (const answer of this.#answers.values()) answer.tick();
    this.#slowest = this.#slowestFirst();
    this.#destroySlow();
  }

  #destroySlow(): void {
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
   * Yields slow answers, the slowest first; among equals, of the client with the most bytes in slow answers. No answer
   * becomes slow between two ticks, so one pass over all of them serves a second of new answers.
   */
  *#slowestFirst(): Generator<OutgoingAnswer, undefined> {
    const slow = [...this.#answers.values()].filter((answer) => answer.isSlow);
    const bytesByClient = new Map<string, number>();
    const add = (client: string, bytes: number): void => {
      bytesByClient.set(client, (bytesByClient.get(client) ?? 0) + bytes);
    };
    for (const { client, bytes } of slow) add(client, bytes);
    const bySpeed = Map.groupBy(slow, (answer) => answer.sentLately);
    for (const [, equals] of [...bySpeed].toSorted(([one], [other]) => one - other)) {
      const byClient = Map.groupBy(equals, ({ client }) => client);
      while (byClient.size > 0) {
        const client = [...byClient.keys()].reduce((largest, one) =>
          (bytesByClient.get(one) ?? 0) > (bytesByClient.get(largest) ?? 0) ? one : largest,
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

/** Counts the bytes of one answer that are loaded, written and sent. */
export class OutgoingAnswer {
  readonly response: ServerResponse;
  readonly client: string;
  readonly #count: (bytes: number) => void;
  #loaded = 0;
  #written = 0;
  #unsent = 0;
  #isEnded = false;
  /** The bytes sent by the last ticks, the oldest first. */
  readonly #sentByTick: number[] = [];

  constructor(response: ServerResponse, client: string, count: (bytes: number) => void) {
    this.response = response;
    this.client = client;
    this.#count = count;
  }

  get bytes(): number {
    return this.#loaded + this.#unsent;
  }

  /** Counts bytes that are loaded and not written yet; a negative number once they are released. */
  countLoaded(bytes: number): void {
    if (this.#isEnded) return;
    this.#loaded += bytes;
    this.#count(bytes);
  }

  /** Counts bytes that were written to the response, until they are sent. */
  countWritten(bytes: number): void {
    this.#written += bytes;
    this.measure();
  }

  measure(): void {
    if (this.#isEnded) return;
    // Not a number for a response without a connection.
    const unsent = this.response.writableLength || 0;
    this.#count(unsent - this.#unsent);
    this.#unsent = unsent;
    // An app may have written more, without a call of `countWritten`.
    this.#written = Math.max(this.#written, unsent);
  }

  tick(): void {
    this.measure();
    this.#sentByTick.push(this.#written - this.#unsent);
    if (this.#sentByTick.length > MEASURED_TICKS + 1) this.#sentByTick.shift();
  }

  /** Bytes sent in the last five seconds. */
  get sentLately(): number {
    return this.#written - this.#unsent - (this.#sentByTick[0] ?? 0);
  }

  /** Whether bytes have waited for five seconds, in which the client received few. */
  get isSlow(): boolean {
    return (
      !this.#isEnded &&
      this.#unsent > 0 &&
      this.#sentByTick.length > MEASURED_TICKS &&
      this.sentLately < SLOW_BYTES
    );
  }

  end(): void {
    this.#count(-this.bytes);
    this.#isEnded = true;
  }
}

/** Bytes of memory: the limit of the process's cgroup, or else the machine's. */
export function systemMemory(): number {
  return Math.min(process.constrainedMemory?.() || Number.POSITIVE_INFINITY, totalmem());
}

/** The counter of the process, whose memory all clients share. */
export const outgoingBytes: OutgoingBytes = new OutgoingBytes();

const MAX_UNSENT_BYTES = 16 * 1_048_576;

interface Backlog {
  bytes: number;
  /** By answer, the oldest first. */
  readonly answers: Map<ServerResponse, number>;
}

/** Bounds the bytes of an account's answers that wait in memory for slow clients: beyond the bound, ends the oldest. */
export class AccountBacklogs {
  readonly #max: number;
  readonly #backlogs: Map<AccountId, Backlog> = new Map();

  constructor(max: number = MAX_UNSENT_BYTES) {
    this.#max = max;
  }

  /** Counts the bytes of a written answer that are not sent yet. */
  follow(account: AccountId, response: ServerResponse): void {
    const bytes = response.writableLength;
    // Responses that are not of node:http may have no `writableLength`.
    if (!(bytes > 0) || response.closed) return;
    const backlog = this.#backlogs.get(account) ?? { bytes: 0, answers: new Map() };
    this.#backlogs.set(account, backlog);
    backlog.answers.set(response, bytes);
    backlog.bytes += bytes;
    response.once('close', () => this.#drop(account, backlog, response));
    for (const oldest of backlog.answers.keys()) {
      if (backlog.bytes <= this.#max) return;
      oldest.destroy();
      this.#drop(account, backlog, oldest);
    }
  }

  #drop(account: AccountId, backlog: Backlog, response: ServerResponse): void {
    backlog.bytes -= backlog.answers.get(response) ?? 0;
    backlog.answers.delete(response);
    if (backlog.answers.size === 0 && this.#backlogs.get(account) === backlog) this.#backlogs.delete(account);
  }
}

export const accountBacklogs: AccountBacklogs = new AccountBacklogs();
