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
      caught: { untested: '*' },
    },
    read: {
      takes: { id: 'uuid', from: 'size', length: 'size', signal: 'signal' },
      answers: 'bytes',
      early: { value: undefined },
      caught: { untested: '*' },
    },
    size: {
      takes: { id: 'uuid', signal: 'signal' },
      answers: 'size',
      early: { value: undefined },
      caught: { untested: '*' },
    },
    delete: {
      takes: { id: 'uuid', signal: 'signal' },
      early: { value: undefined },
      caught: { untested: '*' },
    },
    list: {
      takes: { after: 'uuid', limit: 'count', signal: 'signal' },
      answers: ['uuid'],
      early: { value: [] },
      caught: { untested: '*' },
    },
    check: {
      takes: { signal: 'signal' },
      early: { value: undefined },
      caught: { untested: '*' },
    },
  },
};

export const archiveStorageTable: MutantTable<ArchiveStorage, ArchiveStorageSubject> = {
  contract: archiveStorageContract,
  sequences: {
    'archive-storage/sequences': { check: checkArchiveStorageSequences, runs: 100 },
  },
  sound: () => openSound,
  mutants: [...harness, ...derived(shape, mutant), ...stories],
};
