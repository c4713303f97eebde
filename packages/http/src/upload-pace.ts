import { type AccountId, type Duration, seconds } from '@pinfold/core';

/** A body on its way in, as the pace of its upload is measured. */
export interface IncomingBody {
  readonly received: number;
  /** Whether the next bytes are the client's to send: not once the body is whole, nor while its reader is behind. */
  readonly isClientsTurn: boolean;
  stall(): void;
}

export const MEASURE_EVERY: Duration = seconds(1);
const WINDOW = 10;
/** Bytes that a body has to bring in one window to be left alone: 16 KiB a second. */
const ENOUGH = WINDOW * 16_384;

/** An upload that takes up a place, and its pace while other accounts wait. */
export class PacedUpload {
  readonly account: AccountId;
  body: IncomingBody | undefined;
  isEnded = false;
  /** Bytes received at each measurement, the last eleven at most. */
  #measured: number[] = [];

  constructor(account: AccountId) {
    this.account = account;
  }

  /** Bytes of the last ten seconds; undefined where it was not measured all the while. */
  get bytesInWindow(): number | undefined {
    const [first = 0] = this.#measured;
    return this.#measured.length > WINDOW ? (this.#measured.at(-1) ?? 0) - first : undefined;
  }

  measure(): void {
    if (this.body?.isClientsTurn !== true) {
      this.forget();
      return;
    }
    this.#measured = [...this.#measured.slice(-WINDOW), this.body.received];
  }

  forget(): void {
    this.#measured = [];
  }
}

/** Ends at most as many uploads as wait of other accounts: the slowest of the account with the most places first. */
export function endSlowUploads(
  uploads: Iterable<PacedUpload>,
  waitingOfOthers: (account: AccountId) => number,
): void {
  const all = [...uploads];
  for (let next = slowest(all, waitingOfOthers); next !== undefined; next = slowest(all, waitingOfOthers)) {
    next.isEnded = true;
    next.body?.stall();
  }
}

function slowest(
  uploads: readonly PacedUpload[],
  waitingOfOthers: (account: AccountId) => number,
): PacedUpload | undefined {
  const staying = uploads.filter(({ isEnded }) => !isEnded);
  const places = new Map<AccountId, number>();
  for (const { account } of staying) places.set(account, (places.get(account) ?? 0) + 1);
  const most = Math.max(...places.values());
  const ended = uploads.length - staying.length;
  return staying
    .filter(({ account }) => places.get(account) === most && waitingOfOthers(account) > ended)
    .filter(({ bytesInWindow = ENOUGH }) => bytesInWindow < ENOUGH)
    .sort((one, other) => (one.bytesInWindow ?? 0) - (other.bytesInWindow ?? 0))[0];
}
