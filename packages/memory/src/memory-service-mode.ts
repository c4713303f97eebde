import type { ServiceMode } from '@pinfold/core';
import type { Connection } from './connection.ts';
import { keep } from './events.ts';

export function memoryServiceMode(connection: Connection): ServiceMode {
  return {
    load: async (signal) => {
      signal?.throwIfAborted();
      return connection.open().mode;
    },
    change: async (mode, events) => {
      const data = connection.change();
      const { kind, message } = data.mode;
      if (kind === mode.kind && message === mode.message) return;
      data.mode = mode;
      keep(data, events);
    },
  };
}
