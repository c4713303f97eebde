import type { PairingStore } from '@pinfold/core';
import type { Connection } from './connection.ts';

export function memoryPairingStore(connection: Connection): PairingStore {
  const find: PairingStore['find'] = async (secretHash, now) => {
    const pairing = connection.open().pairings.get(secretHash);
    return pairing === undefined || pairing.endsAt <= now ? undefined : pairing;
  };
  return {
    find,
    agree: async (pairing) => {
      const { pairings } = connection.change();
      if (pairings.has(pairing.secretHash)) return { kind: 'exists' };
      pairings.set(pairing.secretHash, pairing);
      return { kind: 'agreed' };
    },
    take: async (secretHash, now) => {
      const { pairings } = connection.change();
      const pairing = pairings.get(secretHash);
      if (pairing === undefined || pairing.endsAt <= now) return undefined;
      pairings.delete(secretHash);
      return pairing;
    },
    purge: async (endedBy, limit) => {
      const { pairings } = connection.change();
      const ended = [...pairings.values()].filter(({ endsAt }) => endsAt <= endedBy).slice(0, limit);
      for (const { secretHash } of ended) pairings.delete(secretHash);
      return ended.length;
    },
  };
}
