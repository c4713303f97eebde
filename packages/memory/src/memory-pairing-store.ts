import type { ApiKey, Consent, Instant, Pairing, PairingStore } from '@pinfold/core';
import { refuseKey } from '@pinfold/core/adapter';
import type { Connection } from './connection.ts';
import { storeEvents } from './events.ts';
import { refused } from './memory-account-store.ts';
import { countLive, storeKey } from './memory-api-key-store.ts';
import type { MemoryData } from './memory-data.ts';
import { dropFrom } from './order.ts';

export function memoryPairingStore(connection: Connection): PairingStore {
  return {
    find: async (secretHash, now) => {
      const pairing = connection.open().pairings.get(secretHash);
      return pairing === undefined || pairing.endsAt <= now ? undefined : structuredClone(pairing);
    },
    register: async ({ secretHash, endsAt, now, limit }) => {
      const { pairings } = connection.change();
      const waiting = [...pairings.values()].filter((pairing) => pairing.endsAt > now);
      if (waiting.some((pairing) => pairing.secretHash === secretHash)) return { kind: 'registered' };
      if (waiting.length >= limit) return { kind: 'full' };
      pairings.set(secretHash, { secretHash, endsAt, consent: null });
      return { kind: 'registered' };
    },
    agree: async (secretHash, consent, now, events) => {
      const data = connection.change();
      const pairing = data.pairings.get(secretHash);
      if (pairing === undefined || pairing.endsAt <= now) return { kind: 'unknown' };
      if (pairing.consent !== null && isAlive(data, pairing.consent, now)) return { kind: 'exists' };
      for (const other of data.pairings.values()) {
        if (isReplaced(other, consent)) data.pairings.set(other.secretHash, { ...other, consent: null });
      }
      data.pairings.set(secretHash, { ...pairing, consent: structuredClone(consent) });
      storeEvents(data, events);
      return { kind: 'agreed' };
    },
    take: async ({ secretHash, now, key: wanted, limit }, events) => {
      const data = connection.change();
      const pairing = data.pairings.get(secretHash);
      if (pairing === undefined || pairing.endsAt <= now) return { kind: 'unknown' };
      const { consent } = pairing;
      if (consent === null || !isAlive(data, consent, now)) return { kind: 'waiting' };
      const { account, scopes, label, actor } = consent;
      const refusal = refused(data, account) ?? refuseKey(countLive(data, account), limit);
      if (refusal !== undefined) return refusal;
      if (data.apiKeys.has(wanted.id)) return { kind: 'exists' };
      const key: ApiKey = { ...wanted, account, scopes, label };
      data.pairings.delete(secretHash);
      const attributed = events.map((event) => ({ ...event, account, actor }));
      storeKey(data, key, attributed);
      return { kind: 'created', key: structuredClone(key) };
    },
    purge: async (endedBy, limit) =>
      dropFrom(connection.change().pairings, limit, ({ endsAt }) => endsAt <= endedBy),
  };
}

function isReplaced({ consent }: Pairing, { account, actor, session }: Consent): boolean {
  if (consent === null || consent.session !== session || consent.account !== account) return false;
  return consent.actor.kind === actor.kind && consent.actor.id === actor.id;
}

/** Whether the session and the key that gave a consent still exist. */
function isAlive({ sessions, apiKeys }: MemoryData, { session, apiKey }: Consent, now: Instant): boolean {
  if (session !== null) {
    const given = sessions.get(session);
    if (given === undefined || given.endsAt <= now) return false;
    if (given.apiKey !== null && apiKeys.get(given.apiKey)?.revokedAt !== null) return false;
  }
  // A key that an embedding application manages has no row here.
  return apiKey === null || (apiKeys.get(apiKey)?.revokedAt ?? null) === null;
}
