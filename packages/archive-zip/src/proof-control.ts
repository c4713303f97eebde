/** A job was stopped. The code that stopped it knows why. */
export class Stopped extends Error {
  override readonly name: string = 'Stopped';
}

const STOP = 0;
const BYTES_OF_STOP = 8;
const BYTES = 16;

/** State that the jobs of one call share across threads: whether to stop, and how many bytes they have inflated. */
export class ProofControl {
  readonly memory: SharedArrayBuffer;
  readonly #stop: Int32Array;
  readonly #inflated: BigInt64Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(BYTES)) {
    this.memory = memory;
    this.#stop = new Int32Array(memory, 0, 1);
    this.#inflated = new BigInt64Array(memory, BYTES_OF_STOP, 1);
  }

  /** Every job ends at its next look. */
  stop(): void {
    Atomics.store(this.#stop, STOP, 1);
  }

  throwIfStopped(): void {
    if (Atomics.load(this.#stop, STOP) !== 0) throw new Stopped();
  }

  /** Counts inflated bytes and answers how many there are in all. */
  count(bytes: number): number {
    return Number(Atomics.add(this.#inflated, 0, BigInt(bytes))) + bytes;
  }
}
