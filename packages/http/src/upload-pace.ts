import { type AccountId, type Duration, seconds } from '@pinfold/core';

/** A body that is being received, for measuring its pace. */
export interface IncomingBody {
  readonly received: number;
  /** Whether the client has to send the next bytes: false once the body is complete, and while its reader is slower. */
  readonly isClientsTurn: boolean;
  stall(): void;
}

export const MEASURE_EVERY: Duration = seconds(1);
/** Measurements over which the pace is judged. */
const WINDOW = 10;
/** Uploads with fewer bytes in one window are slow: 16 KiB/s. */
const MIN_BYTES = WINDOW * 16_384;

/** A running upload, and its pace while other accounts wait. */
export class PacedUpload {
  readonly account: AccountId;
  body: IncomingBody | undefined;
  isEnded = false;
  /** Bytes received at each measurement, the last eleven at most. */
  #measured: number[] = [];

  constructor(account: AccountId) {
    this.account = account;
  }

  /** Bytes received in the last ten seconds; undefined unless measured all the time. */
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

/** Ends at most as many slow uploads as other accounts wait for: first the slowest of the account with the most. */
export function endSlowUploads(
  uploads: Iterable<PacedUpload>,
  waitingOfOthers: (account: AccountId) => number,
): void {
  const all = [...uploads];
  for (
    let next = findSlowest(all, waitingOfOthers);
    next !== undefined;
    next = findSlowest(all, waitingOfOthers)
  ) {
    next.isEnded = true;
    next.body?.stall();
  }
}

function findSlowest(
  uploads: readonly PacedUpload[],
  waitingOfOthers: (account: AccountId) => number,
): PacedUpload | undefined {
  const running = uploads.filter(({ isEnded }) => !isEnded);
  const places = new Map<AccountId, number>();
  for (const { account } of running) places.set(account, (places.get(account) ?? 0) + 1);
  const maxPlaces = Math.max(...places.values());
  const ended = uploads.length - running.length;
  return running
    .filter(({ account }) => places.get(account) === maxPlaces && waitingOfOthers(account) > ended)
    .filter(({ bytesInWindow = MIN_BYTES }) => bytesInWindow < MIN_BYTES)
    .sort((one, other) => (one.bytesInWindow ?? 0) - (other.bytesInWindow ?? 0))[0];
}
