import type { Token } from '@pinfold/core';
import type { Import } from '@pinfold/core/moving';
import { importContract, type MovingStores, type StoreSubject } from '@pinfold/test-contracts';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { derived, type PortShape, part } from './derive.ts';
import type { Mutant, MutantTable } from './mutant.ts';
import { overMemory } from './over-memory.ts';
import { RECORD } from './records.ts';

const { sound, mutant, harness } = overMemory<MovingStores>((memory) => memory);

const shape: PortShape<Import> = {
  suite: 'import',
  code: 'store_unavailable',
  methods: {
    isUnfinished: {
      takes: { signal: 'signal' },
      answers: 'flag',
      early: { value: false },
      caught: {
        'unfinished-aborted': '*',
        unfinished: 'answers caches',
        'begin-foreign': 'answers.raised',
        untested: 'repeats shares',
      },
    },
    begin: {
      takes: { token: 'id' },
      answers: { kind: 'choice' },
      early: { value: { kind: 'begun' } },
      caught: {
        unreachable: '*',
        end: 'hurries idles',
        'begin-again': 'takes.token',
        untested: 'answers.kind.stuck caches repeats shares takes.token.{ended,lowered}',
      },
    },
    keep: {
      takes: { token: 'id', records: [RECORD] },
      answers: { kind: 'choice' },
      early: { value: { kind: 'kept' } },
      caught: {
        'begin-again': '*',
        unreachable: 'coversUp isCurt isRaw misnames',
        'keep-removal': 'takes.records.list-reversed',
        'keep-lost': 'answers.kind.stuck',
        'changes-refused': 'takes.records.list-first',
        'keep-whole': 'takes.records.value.account.lost',
        untested: [
          'repeats takes.records.list-capped takes.records.value.lastUsedAt.lost',
          'takes.records.value.publicationsMark.lost takes.token.{ended,lowered}',
        ],
      },
    },
    end: {
      takes: { token: 'id' },
      answers: { kind: 'choice' },
      early: { value: { kind: 'ended' } },
      caught: {
        end: '*',
        unreachable: 'coversUp isCurt isRaw misnames',
        untested: 'shares takes.token.{ended,lowered}',
      },
    },
  },
  confusions: { end: 'token.cut', untested: 'token' },
};

type Imports = MovingStores['imports'];

/** Replaces calls of an import. `share` is called once for each subject. */
const importing =
  <Shared>(share: () => Shared, change: (stores: MovingStores, shared: Shared) => Partial<Imports>) =>
  () => {
    const shared = share();
    return (stores: MovingStores): Partial<MovingStores> => ({
      imports: replacing(stores.imports, change(stores, shared)),
    });
  };

const stories: readonly Mutant<StoreSubject<MovingStores>>[] = [
  mutant(
    'import/begin-again',
    'a new import continues an unfinished one',
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
  mutant(
    'import/keep-removal',
    'removals are ignored',
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
  mutant('import/changes-refused', 'beginning a session succeeds during an import', () => (stores) => ({
    sessions: replacing(stores.sessions, {
      begin: (session, events) => stores.sessions.begin(session, events).catch(() => ({ ended: 0 })),
    }),
  })),
  mutant(
    'import/end',
    'a lost token can end the import',
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
];

export const importTable: MutantTable<MovingStores, StoreSubject<MovingStores>> = {
  contract: importContract,
  sound,
  mutants: [...harness(shape.suite), ...derived(shape, part(mutant, 'imports')), ...stories],
};
