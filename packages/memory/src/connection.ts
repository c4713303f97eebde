import { Fault, type FaultCode } from '@pinfold/core';
import type { MemoryData } from './memory-data.ts';

/** A handle's access to the shared data. Closing it leaves the data to its peers. */
export class Connection {
  readonly #data: MemoryData;
  #closed = false;

  constructor(data: MemoryData) {
    this.#data = data;
  }

  /** Returns the data; throws the reason of an aborted signal, and the fault `code` once the handle is closed. */
  open(signal?: AbortSignal, code: FaultCode = 'store_unavailable'): MemoryData {
    signal?.throwIfAborted();
    if (this.#closed) {
      throw new Fault(code, 'the memory is out of reach', { cause: new Error('this handle was closed') });
    }
    return this.#data;
  }

  /** Returns the data for a change; throws a fault once the handle is closed or while an import is unfinished. */
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
