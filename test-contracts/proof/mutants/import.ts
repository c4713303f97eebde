import type { Fingerprint, Token } from '@pinfold/core';
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
        'begin-again': '* takes.records.value.reason.{cut,lost,lowered,raised}',
        unreachable: 'coversUp isCurt isRaw misnames',
        'keep-removal': 'takes.records.list-reversed takes.records.value.expiresAt.stuck',
        'keep-lost': 'answers.kind.stuck',
        untested: [
          'repeats takes.records.list-capped takes.records.value.account.stuck',
          'takes.records.value.actor.id.stuck takes.records.value.address.stuck',
          'takes.records.value.archiveBytes.wrapped takes.records.value.blocked.at.{seconds,stuck}',
          'takes.records.value.blocked.reason.stuck takes.records.value.blocked.sites.stuck',
          'takes.records.value.deletedAt.seconds takes.records.value.expiresAt.seconds',
          'takes.records.value.fileCount.{capped,stuck} takes.records.value.generation.capped',
          'takes.records.value.lastPublishedAt.{seconds,stuck}',
          'takes.records.value.{lastUsedAt,publicationsMark,reason}',
          'takes.records.value.liftedAt.{seconds,stuck} takes.records.value.limits.bytes.stuck',
          'takes.records.value.limits.publications.stuck takes.records.value.limits.requests.stuck',
          'takes.records.value.limits.sites.{capped,stuck}',
          'takes.records.value.name.{composed,cut,numeric,quoted,terminated,trimmed}',
          'takes.records.value.originalFilename.stuck takes.records.value.passwordHash.{cut,stuck}',
          'takes.records.value.publishedAt.{seconds,stuck} takes.records.value.refusedPasswords.capped',
          'takes.records.value.request.stuck takes.records.value.revokedAt.{seconds,stuck}',
          'takes.records.value.scopes.list-capped takes.records.value.secretHash.raised',
          'takes.records.value.sha256.raised takes.records.value.size.wrapped',
          'takes.records.value.title.{composed,cut,numeric,quoted,terminated,trimmed}',
          'takes.records.value.views.capped takes.token.{ended,lowered}',
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
  confusions: {
    'changes-refused': 'fingerprint.cut',
    'keep-whole': 'id.cut',
    'begin-again': 'name.latin secretHash sha256',
    end: 'token.cut',
    untested: '* secretHash.raised sha256.raised',
  },
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
    'import/unfinished',
    'an import with records counts as finished',
    importing(
      () => undefined,
      ({ imports, snapshot }) => ({
        isUnfinished: async () => {
          for await (const _ of snapshot.records()) return false;
          return imports.isUnfinished();
        },
      }),
    ),
  ),
  mutant(
    'import/begin-foreign',
    'a refused import is reported as begun',
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
    'import/keep-whole',
    'fingerprints are recomputed',
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
  mutant(
    'import/keep-lost',
    'any token is accepted',
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
  ),
  mutant('import/changes-refused', 'beginning a session succeeds during an import', () => (stores) => ({
    sessions: replacing(stores.sessions, {
      begin: (session, events) => stores.sessions.begin(session, events).catch(() => undefined),
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
