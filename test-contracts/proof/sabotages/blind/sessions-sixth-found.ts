import { Fault, isFault, type Session, type SessionStore, type Sha256 } from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';

const { does, asks } = waysOf<SessionStore>();

export const sixthSessionsFound: Sabotages<SessionStore> = {
  'remembers as unknown what a link began since': () => {
    const unknown = new Set<Sha256>();
    return (store) => ({
      begin: async (session, events) => {
        await store.begin(session, events);
        unknown.delete(session.tokenHash);
      },
      find: async (hash, ...others) => {
        const found = await store.find(hash, ...others);
        if (!found) unknown.add(hash);
        return unknown.has(hash) ? undefined : found;
      },
    });
  },
  'finds one hash once for all who ask meanwhile, at any instant': () => (store) => {
    const asked = new Map<Sha256, Promise<Session | undefined>>();
    return {
      find: async (hash, now, signal) => {
        signal?.throwIfAborted();
        const answer = asked.get(hash) ?? store.find(hash, now).finally(() => asked.delete(hash));
        asked.set(hash, answer);
        return answer;
      },
    };
  },
  'gives up for all who ask meanwhile when one does': () => (store) => {
    const asked = new Map<string, Promise<Session | undefined>>();
    return {
      find: async (hash, now, signal) => {
        const question = JSON.stringify([hash, now]);
        const before = asked.get(question);
        if (before !== undefined) signal?.throwIfAborted();
        const answer = before ?? store.find(hash, now, signal).finally(() => asked.delete(question));
        asked.set(question, answer);
        return answer;
      },
    };
  },
  'goes on where the reason of an abort is falsy': does('find', async (store, hash, now, signal) => {
    if (signal?.reason) throw signal.reason;
    return store.find(hash, now);
  }),
  'makes an error of a reason that is none': does('find', async (store, hash, now, signal) => {
    if (signal?.aborted && !(signal.reason instanceof Error)) throw new Error(String(signal.reason));
    return store.find(hash, now, signal);
  }),
  'finds 256 sessions at a time': () => (store) => {
    let asked = 0;
    return {
      find: async (...inputs) => {
        asked += 1;
        const isLate = asked > 256;
        const found = await store.find(...inputs).finally(() => {
          asked -= 1;
        });
        return isLate ? undefined : found;
      },
    };
  },
  'takes the instant 0 for none': asks('find', (hash, now, signal) => [hash, now || Date.now(), signal]),
  'finds for an unknown hash what was found beside it': () => (store) => {
    let asked = 0;
    let last: Session | undefined;
    return {
      find: async (...inputs) => {
        asked += 1;
        try {
          last = (await store.find(...inputs)) ?? last;
          return last;
        } finally {
          asked -= 1;
          if (asked === 0) last = undefined;
        }
      },
    };
  },
  'keeps what was being found while it ended': () => (store) => {
    const asked = new Set<{ readonly hash: Sha256; isOver: boolean }>();
    const kept = new Map<Sha256, Session>();
    return {
      find: async (hash, now, signal) => {
        const question = { hash, isOver: false };
        asked.add(question);
        const found = await store.find(hash, now, signal).finally(() => asked.delete(question));
        if (found && question.isOver) kept.set(hash, found);
        return found ?? kept.get(hash);
      },
      end: async (hash, events) => {
        for (const question of asked) if (question.hash === hash) question.isOver = true;
        return store.end(hash, events);
      },
    };
  },
  'goes on listening where nothing is found': does('find', async (store, hash, now, signal) => {
    const found = await store.find(hash, now, signal);
    if (!found) signal?.addEventListener('abort', () => undefined);
    return found;
  }),
  'says once what caused its faults': () => (store) => {
    let isTold = false;
    const told = Object.entries(store).map(([name, call]) => [
      name,
      (...inputs: never[]) =>
        (call as (...inputs: never[]) => Promise<unknown>)(...inputs).catch((fault: unknown) => {
          if (isFault(fault) && isTold) throw new Fault(fault.code, fault.message);
          isTold ||= isFault(fault);
          throw fault;
        }),
    ]);
    return Object.fromEntries(told);
  },
  'ends what it had found before': () => (store) => {
    const given: Session[] = [];
    return {
      find: async (...inputs) => {
        const found = await store.find(...inputs);
        const copy = found && { ...found };
        if (copy) given.push(copy);
        return copy;
      },
      end: async (hash, events) => {
        await store.end(hash, events);
        for (const session of given)
          if (session.tokenHash === hash) Object.assign(session, { endsAt: session.startedAt });
      },
    };
  },
};
