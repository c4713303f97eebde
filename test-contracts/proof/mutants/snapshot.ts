import { isFault } from '@pinfold/core';
import type { MovedRecord, Snapshot } from '@pinfold/core/moving';
import { type MovingStores, type StoreSubject, snapshotContract } from '@pinfold/test-contracts';
import { derived, type PortShape, part } from './derive.ts';
import type { Mutant, MutantTable } from './mutant.ts';
import { overMemory } from './over-memory.ts';
import { RECORD } from './records.ts';

const { sound, mutant, harness } = overMemory<MovingStores>((memory) => memory);

const shape: PortShape<Snapshot> = {
  suite: 'snapshot',
  code: 'store_unavailable',
  methods: {
    records: {
      takes: { signal: 'signal' },
      answers: RECORD,
      caught: {
        whole: 'answers answers.value.reason.{cut,lost,lowered,raised}',
        aborted: 'isDeaf',
        unreachable: 'wrapsAborts',
        'left-out': 'answers.kind.stuck',
        order: 'answers.value.at.lost',
        untested: [
          'answers.value.account.stuck answers.value.actor.id.stuck answers.value.address.stuck',
          'answers.value.archiveBytes.wrapped answers.value.blocked.at.{seconds,stuck}',
          'answers.value.blocked.reason.stuck answers.value.blocked.sites.stuck',
          'answers.value.deletedAt.seconds answers.value.expiresAt.{seconds,stuck}',
          'answers.value.fileCount.{capped,stuck} answers.value.generation.capped',
          'answers.value.lastPublishedAt.{seconds,stuck}',
          'answers.value.{lastUsedAt,publicationsMark,reason} answers.value.liftedAt.{seconds,stuck}',
          'answers.value.limits.bytes.stuck answers.value.limits.publications.stuck',
          'answers.value.limits.requests.stuck answers.value.limits.sites.{capped,stuck}',
          'answers.value.name.{composed,cut,numeric,quoted,terminated,trimmed}',
          'answers.value.originalFilename.stuck answers.value.passwordHash.{cut,stuck}',
          'answers.value.publishedAt.{seconds,stuck} answers.value.refusedPasswords.capped',
          'answers.value.request.stuck answers.value.revokedAt.{seconds,stuck}',
          'answers.value.scopes.list-capped answers.value.secretHash.raised answers.value.sha256.raised',
          'answers.value.size.wrapped answers.value.title.{composed,cut,numeric,quoted,terminated,trimmed}',
          'answers.value.views.capped listens',
        ],
      },
    },
  },
};

type Records = AsyncIterable<MovedRecord>;

/** Changes the records of a snapshot. */
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
  mutant('snapshot/unreachable', 'an unreachable database counts as empty', () => ({ snapshot }) => ({
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
    'snapshot/order',
    'names are in the order of UTF-16 code units',
    giving((records) => {
      const accounts = records.filter(({ kind }) => kind === 'account');
      const nameOf = ({ value }: MovedRecord): string => ('name' in value ? value.name : '');
      const others = records.filter(({ kind }) => kind !== 'account');
      return [...accounts.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)), ...others];
    }),
  ),
  mutant('snapshot/instant', 'events are read after all other records', () => ({ snapshot }) => ({
    snapshot: {
      async *records(signal): Records {
        for await (const record of snapshot.records(signal)) if (record.kind !== 'event') yield record;
        for await (const record of snapshot.records(signal)) if (record.kind === 'event') yield record;
      },
    },
  })),
  mutant('snapshot/left-out', 'the last use of a key appears in its label', () => (stores) => ({
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
  mutant('snapshot/aborted', 'the signal is checked only at the beginning', () => ({ snapshot }) => ({
    snapshot: {
      async *records(signal): Records {
        signal?.throwIfAborted();
        yield* snapshot.records();
      },
    },
  })),
];

export const snapshotTable: MutantTable<MovingStores, StoreSubject<MovingStores>> = {
  contract: snapshotContract,
  sound,
  mutants: [...harness(shape.suite), ...derived(shape, part(mutant, 'snapshot')), ...stories],
};
