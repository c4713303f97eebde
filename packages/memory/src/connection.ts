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

  /** The data to be changed, or the fault that refuses it: also while an import is unfinished. */
  change(): MemoryData {
    const data = this.open();
    if (data.importing !== undefined) {
      throw new Fault('store_unavailable', 'an import into this database has not ended');
    }
    return data;
  }

  peer(): Connection {
    return new Connection(this.#data);
  }

  close(): void {
    this.#closed = true;
  }
}
