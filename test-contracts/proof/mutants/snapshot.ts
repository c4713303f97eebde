import { isFault } from '@pinfold/core';
import type { MovedRecord, Snapshot } from '@pinfold/core/moving';
import { type MovingStores, type StoreSubject, snapshotContract } from '@pinfold/test-contracts';
import { derived, type PortShape, part } from './derive.ts';
import type { Mutant } from './mutant.ts';
import { overMemory, type StoreTable } from './over-memory.ts';
import { RECORD } from './records.ts';

const { mutant, table } = overMemory<MovingStores>((memory) => memory);

const shape: PortShape<Snapshot> = {
  methods: {
    records: {
      early: null,
      takes: { signal: 'signal' },
      answers: RECORD,
      clauses: 'unreachable whole aborted left-out order',
      untested: 'answers.value.lastUsedAt.lost answers.value.publicationsMark.lost listens',
    },
  },
};

type Records = AsyncIterable<MovedRecord>;

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

const stories: readonly Mutant<StoreSubject<MovingStores>>[] = [
  mutant('unreachable', 'an unreachable database counts as empty', () => ({ snapshot }) => ({
    snapshot: {
      async *records(signal): Records {
        try {
          yield* snapshot.records(signal);
        } catch (error) {
          if (!isFault(error)) throw error;
        }
      },
    },
  })),

  mutant(
    'order',
    'names are in the order of UTF-16 code units',
    giving((records) => {
      const accounts = records.filter(({ kind }) => kind === 'account');
      const nameOf = ({ kind, value }: MovedRecord): string => (kind === 'account' ? value.name : '');
      const others = records.filter(({ kind }) => kind !== 'account');
      return [...accounts.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)), ...others];
    }),
  ),
  mutant('instant', 'events are read after all other records', () => ({ snapshot }) => ({
    snapshot: {
      async *records(signal): Records {
        for await (const record of snapshot.records(signal)) if (record.kind !== 'event') yield record;
        for await (const record of snapshot.records(signal)) if (record.kind === 'event') yield record;
      },
    },
  })),
  mutant('left-out', 'the last use of a key appears in its label', () => (stores) => ({
    snapshot: {
      async *records(signal): Records {
        for await (const record of stores.snapshot.records(signal)) {
          const key = record.kind === 'key' ? await stores.apiKeys.find(record.value.id) : undefined;
          const told = (key?.lastUsedAt ?? null) === null ? {} : { label: 'used' };
          yield { ...record, value: { ...record.value, ...told } } as MovedRecord;
        }
      },
    },
  })),
  mutant('aborted', 'the signal is checked only at the beginning', () => ({ snapshot }) => ({
    snapshot: {
      async *records(signal): Records {
        signal?.throwIfAborted();
        yield* snapshot.records();
      },
    },
  })),
];

export const snapshotTable: StoreTable<MovingStores> = table(snapshotContract, [
  ...derived(shape, part(mutant, 'snapshot')),
  ...stories,
]);
