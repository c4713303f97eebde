import type { ArchiveStorage } from '@pinfold/core';
import {
  type ArchiveStorageSubject,
  archiveStorageContract,
  checkArchiveStorageSequences,
} from '@pinfold/test-contracts';
import { harness, mutant, openSound, stories } from './archive-storage-stories.ts';
import { derived, type PortShape } from './derive.ts';
import type { MutantTable } from './mutant.ts';

const shape: PortShape<ArchiveStorage> = {
  suite: 'archive-storage',
  code: 'storage_unavailable',
  methods: {
    put: {
      takes: { id: 'uuid', archive: { size: 'size' }, signal: 'signal' },
      early: { value: undefined },
      caught: {
        'put-aborted': '*',
        unreachable: 'coversUp isCurt isRaw misnames',
        'lets-go': 'listens',
        'put-again': 'hurries',
        untested: 'caches takes.archive.size.wrapped',
      },
    },
    read: {
      takes: { id: 'uuid', from: 'size', length: 'size', signal: 'signal' },
      answers: 'bytes',
      early: { value: undefined },
      caught: {
        unreachable: '*',
        'read-range': 'answers takes.from.stuck',
        'read-aborted': 'caches isDeaf wrapsAborts',
        'read-absent': 'hurries idles',
        'lets-go': 'listens',
        'read-outside': 'takes',
        'delete-twice': 'takes.id.stuck',
        untested: 'shares',
      },
    },
    size: {
      takes: { id: 'uuid', signal: 'signal' },
      answers: 'size',
      early: { value: undefined },
      caught: {
        size: '*',
        unreachable: 'coversUp isCurt isRaw misnames',
        'lets-go': 'listens',
        untested: 'answers.wrapped',
      },
    },
    delete: {
      takes: { id: 'uuid', signal: 'signal' },
      early: { value: undefined },
      caught: {
        unreachable: '*',
        'delete-gone': 'caches takes.id',
        'delete-aborted': 'hurries isDeaf wrapsAborts',
        'delete-twice': 'idles',
        'lets-go': 'listens',
        untested: 'shares',
      },
    },
    list: {
      takes: { after: 'uuid', limit: 'count', signal: 'signal' },
      answers: ['uuid'],
      early: { value: [] },
      caught: {
        'list-walk': '*',
        unreachable: 'coversUp isCurt isRaw misnames',
        'list-aborted': 'isDeaf wrapsAborts',
        'lets-go': 'listens',
        untested: 'answers.{list-capped,list-first} takes.limit.capped',
      },
    },
    check: {
      takes: { signal: 'signal' },
      early: { value: undefined },
      caught: {
        check: '*',
        unreachable: 'coversUp isCurt isRaw misnames',
        'lets-go': 'listens',
      },
    },
  },
  confusions: { 'list-walk': '*' },
};

export const archiveStorageTable: MutantTable<ArchiveStorage, ArchiveStorageSubject> = {
  contract: archiveStorageContract,
  sequences: {
    'archive-storage/sequences': { check: checkArchiveStorageSequences, runs: 100 },
  },
  sound: () => openSound,
  mutants: [...harness, ...derived(shape, mutant), ...stories],
};
