import { Fault, type FaultCode } from '@pinfold/core';
import type { MemoryData } from './memory-data.ts';

/** One handle's way to the shared data: closing it leaves the data to its peers. */
export class Connection {
  readonly #data: MemoryData;
  #closed = false;

  constructor(data: MemoryData) {
    this.#data = data;
  }

  /** The data, or the fault of `code` when the handle was closed. */
  open(code: FaultCode = 'store_unavailable'): MemoryData {
    if (this.#closed) {
      throw new Fault(code, 'the memory is out of reach', { cause: new Error('this handle was closed') });
    }
    return this.#data;
  }

  peer(): Connection {
    return new Connection(this.#data);
  }

  close(): void {
    this.#closed = true;
  }
}
