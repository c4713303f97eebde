import type { ServerResponse } from 'node:http';
import type { AccountId } from '@pinfold/core';

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
