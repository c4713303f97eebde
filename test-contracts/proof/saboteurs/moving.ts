import { type Fingerprint, isFault, type Token } from '@pinfold/core';
import type { MovedRecord } from '@pinfold/core/moving';
import {
  importContract,
  type MovingStores,
  type StoreSubject,
  snapshotContract,
} from '@pinfold/test-contracts';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { memorySaboteurs, oneForAll, strangers } from './memory-saboteurs.ts';
import { clausesBut, type Sabotage, type Saboteur } from './sabotage.ts';

const { opening, sound, saboteur } = memorySaboteurs<MovingStores>((memory) => memory);

type Records = AsyncIterable<MovedRecord>;

/** A snapshot that is given otherwise. */
const giving =
  (change: (records: readonly MovedRecord[]) => readonly MovedRecord[]) =>
  () =>
  ({ snapshot }: MovingStores): Partial<MovingStores> => ({
    snapshot: {
      async *records(signal): Records {
        const all: MovedRecord[] = [];
        for await (const record of snapshot.records(signal)) all.push(record);
        for (const record of change(all)) {
          yield record;
          signal?.throwIfAborted();
        }
      },
    },
  });

const snapshotSaboteurs: readonly Saboteur<StoreSubject<MovingStores>>[] = [
  saboteur(
    'snapshot/unreachable',
    'a database that does not answer is an empty one',
    () =>
      ({ snapshot }) => ({
        snapshot: {
          async *records(signal): Records {
            try {
              yield* snapshot.records(signal);
            } catch (error) {
              if (!isFault(error)) throw error;
            }
          },
        },
      }),
  ),
  saboteur(
    'snapshot/whole',
    'the address of an event is left out',
    giving((records) =>
      records.map((record) =>
        record.kind === 'event' ? { ...record, value: { ...record.value, address: null } } : record,
      ),
    ),
  ),
  saboteur(
    'snapshot/order',
    'names come by their UTF-16',
    giving((records) => {
      const accounts = records.filter(({ kind }) => kind === 'account');
      const nameOf = ({ value }: MovedRecord): string => ('name' in value ? value.name : '');
      const others = records.filter(({ kind }) => kind !== 'account');
      return [...accounts.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)), ...others];
    }),
  ),
  saboteur('snapshot/instant', 'events are read when all else was', () => ({ snapshot }) => ({
    snapshot: {
      async *records(signal): Records {
        for await (const record of snapshot.records(signal)) if (record.kind !== 'event') yield record;
        for await (const record of snapshot.records(signal)) if (record.kind === 'event') yield record;
      },
    },
  })),
  saboteur(
    'snapshot/left-out',
    'the use of a key is told in its label',
    () => (stores) => ({
      snapshot: {
        async *records(signal): Records {
          for await (const record of stores.snapshot.records(signal)) {
            const key = record.kind === 'key' ? await stores.apiKeys.find(record.value.id) : undefined;
            const told = (key?.lastUsedAt ?? null) === null ? {} : { label: 'used' };
            yield { ...record, value: { ...record.value, ...told } } as MovedRecord;
          }
        },
      },
    }),
    ['snapshot/whole'],
  ),
  saboteur('snapshot/aborted', 'the signal is looked at in the beginning alone', () => ({ snapshot }) => ({
    snapshot: {
      async *records(signal): Records {
        signal?.throwIfAborted();
        yield* snapshot.records();
      },
    },
  })),
  {
    breaks: 'snapshot/harness-apart',
    how: 'all subjects are over the same data',
    open: opening(oneForAll),
  },
  {
    breaks: 'snapshot/harness-peer',
    how: 'a peer opens data of its own',
    open: opening(strangers),
    alsoFails: ['snapshot/whole', 'snapshot/instant'],
  },
];

type Imports = MovingStores['imports'];

/** An import some of whose calls are others; what they share is made once a subject. */
const importing =
  <Shared>(share: () => Shared, change: (stores: MovingStores, shared: Shared) => Partial<Imports>) =>
  () => {
    const shared = share();
    return (stores: MovingStores): Partial<MovingStores> => ({
      imports: replacing(stores.imports, change(stores, shared)),
    });
  };

const importSaboteurs: readonly Saboteur<StoreSubject<MovingStores>>[] = [
  saboteur('import/unreachable', 'what cannot be ended is lost', () => ({ imports }) => ({
    imports: replacing(imports, {
      end: (token) => imports.end(token).catch(() => ({ kind: 'lost' as const })),
    }),
  })),
  saboteur('import/unfinished-aborted', 'the signal is not looked at', () => ({ imports }) => ({
    imports: replacing(imports, { isUnfinished: () => imports.isUnfinished() }),
  })),
  saboteur(
    'import/unfinished',
    'what has records is taken for finished',
    importing(
      () => undefined,
      ({ imports, snapshot }) => ({
        isUnfinished: async () => {
          for await (const _ of snapshot.records()) return false;
          return imports.isUnfinished();
        },
      }),
    ),
    ['import/unfinished-aborted'],
  ),
  saboteur(
    'import/begin-foreign',
    'a refusal is told as a beginning',
    importing(
      () => undefined,
      ({ imports }) => ({
        begin: async (token) => {
          await imports.begin(token);
          return { kind: 'begun' };
        },
      }),
    ),
  ),
  saboteur(
    'import/begin-again',
    'an unfinished import goes on where it was',
    importing(
      () => ({ first: undefined as Token | undefined, all: new Set<Token>() }),
      ({ imports }, shared) => {
        const known = (token: Token): Token => (shared.all.has(token) ? (shared.first ?? token) : token);
        return {
          begin: async (token) => {
            const goesOn = await imports.isUnfinished();
            if (!goesOn) shared.first = token;
            shared.all.add(token);
            return goesOn ? { kind: 'begun' } : imports.begin(token);
          },
          keep: (token, records) => imports.keep(known(token), records),
        };
      },
    ),
  ),
  saboteur(
    'import/keep-whole',
    'fingerprints are made anew',
    importing(
      () => undefined,
      ({ imports }) => ({
        keep: (token, records) =>
          imports.keep(
            token,
            records.map((record) =>
              record.kind === 'publication'
                ? {
                    ...record,
                    value: { ...record.value, fingerprint: record.value.sha256 as string as Fingerprint },
                  }
                : record,
            ),
          ),
      }),
    ),
    ['import/begin-again', 'import/changes-refused'],
  ),
  saboteur(
    'import/keep-removal',
    'removals are passed over',
    importing(
      () => undefined,
      ({ imports }) => ({
        keep: (token, records) =>
          imports.keep(
            token,
            records.filter(({ kind }) => kind !== 'removal'),
          ),
      }),
    ),
  ),
  saboteur(
    'import/keep-lost',
    'any token will do',
    importing(
      () => ({ last: undefined as Token | undefined }),
      ({ imports }, shared) => ({
        begin: (token) => {
          shared.last = token;
          return imports.begin(token);
        },
        keep: (token, records) => imports.keep(shared.last ?? token, records),
      }),
    ),
    ['import/begin-again'],
  ),
  saboteur('import/changes-refused', 'a session begins all the same', () => (stores) => ({
    sessions: replacing(stores.sessions, {
      begin: (session, events) => stores.sessions.begin(session, events).catch(() => ({ ended: 0 })),
    }),
  })),
  saboteur(
    'import/end',
    'who lost the token ends the import, too',
    importing(
      () => ({ last: undefined as Token | undefined }),
      ({ imports }, shared) => ({
        begin: (token) => {
          shared.last = token;
          return imports.begin(token);
        },
        end: async (token) => {
          const ended = await imports.end(token);
          if (ended.kind === 'lost' && shared.last !== undefined) await imports.end(shared.last);
          return ended;
        },
      }),
    ),
  ),
  {
    breaks: 'import/harness-apart',
    how: 'all subjects are over the same data',
    open: opening(oneForAll),
    alsoFails: [
      'import/unfinished',
      'import/begin-again',
      'import/keep-removal',
      'import/keep-lost',
      'import/changes-refused',
    ],
  },
  {
    breaks: 'import/harness-peer',
    how: 'a peer opens data of its own',
    open: opening(strangers),
    alsoFails: clausesBut(importContract, [
      'import/harness-apart',
      'import/begin-foreign',
      'import/keep-lost',
      'import/unreachable',
      'import/unfinished-aborted',
    ]),
  },
];

export const snapshotSabotage: Sabotage<MovingStores, StoreSubject<MovingStores>> = {
  contract: snapshotContract,
  sound,
  saboteurs: snapshotSaboteurs,
};

export const importSabotage: Sabotage<MovingStores, StoreSubject<MovingStores>> = {
  contract: importContract,
  sound,
  saboteurs: importSaboteurs,
};
