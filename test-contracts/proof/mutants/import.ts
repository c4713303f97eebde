import type { Token } from '@pinfold/core';
import type { Import } from '@pinfold/core/moving';
import { importContract, type MovingStores, type StoreSubject } from '@pinfold/test-contracts';
import { derived, type PortShape, part } from './derive.ts';
import type { Mutant } from './mutant.ts';
import { overMemory, type StoreTable } from './over-memory.ts';
import { RECORD } from './records.ts';

const { mutant, table } = overMemory<MovingStores>((memory) => memory);
const ofSessions = part(mutant, 'sessions');
const ofHistory = part(mutant, 'history');

const shape: PortShape<Import> = {
  methods: {
    isUnfinished: {
      takes: { signal: 'signal' },
      answers: 'flag',
      clauses: 'unfinished-aborted unfinished begin-foreign',
      untested: 'shares',
    },
    begin: {
      takes: { token: 'id' },
      answers: { kind: 'choice' },
      early: { value: { kind: 'begun' } },
      clauses: 'unreachable begin-again end',
      untested: 'answers.kind caches shares takes.token.{ended,lowered}',
    },
    keep: {
      takes: { token: 'id', records: [RECORD] },
      answers: { kind: 'choice' },
      early: { value: { kind: 'kept' } },
      clauses: 'unreachable begin-again changes-refused keep-removal keep-whole keep-lost',
      untested: [
        // Of the records that are stored at once, removals come last in any order.
        'takes.records.list-reversed',
        'takes.records.value.lastUsedAt.lost takes.records.value.publicationsMark.lost',
        'takes.token.{ended,lowered}',
      ],
    },
    end: {
      takes: { token: 'id' },
      answers: { kind: 'choice' },
      early: { value: { kind: 'ended' } },
      clauses: 'unreachable end',
      untested: 'shares takes.token.{ended,lowered}',
      tested: 'repeats',
    },
  },
  confusions: { clauses: 'end', untested: '*', tested: 'token.cut' },
};

const ofImport = part(mutant, 'imports');

const stories: readonly Mutant<StoreSubject<MovingStores>>[] = [
  ofHistory('feed', 'the imported events stay out of the feed', () => (_, stores) => ({
    feed: async (query) => ({ ...(await stores.history.feed(query)), items: [] }),
  })),
  ofImport('begin-again', 'a new import continues an unfinished one', () => {
    let first: Token | undefined;
    const all = new Set<Token>();
    return (imports) => ({
      begin: async (token) => {
        const goesOn = await imports.isUnfinished();
        if (!goesOn) first = token;
        all.add(token);
        return goesOn ? { kind: 'begun' } : await imports.begin(token);
      },
      keep: (token, records) => imports.keep(all.has(token) ? (first ?? token) : token, records),
    });
  }),
  ofImport('keep-removal', 'removals are ignored', () => (imports) => ({
    keep: (token, records) => {
      const kept = records.filter(({ kind }) => kind !== 'removal');
      return imports.keep(token, kept);
    },
  })),
  ofSessions('changes-refused', 'beginning a session succeeds during an import', () => (_, stores) => ({
    begin: (session, events) => stores.sessions.begin(session, events).catch(() => ({ ended: 0 })),
  })),
  ofImport('end', 'a lost token can end the import', () => {
    let last: Token | undefined;
    return (imports) => ({
      begin: (token) => {
        last = token;
        return imports.begin(token);
      },
      end: async (token) => {
        const ended = await imports.end(token);
        if (ended.kind === 'lost' && last !== undefined) await imports.end(last);
        return ended;
      },
    });
  }),
];

export const importTable: StoreTable<MovingStores> = table(importContract, [
  ...derived(shape, ofImport),
  ...stories,
]);
