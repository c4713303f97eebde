import type { ArchiveStorage } from '@pinfold/core';
import { type ArchiveStorageSubject, archiveStorageContract } from '@pinfold/test-contracts';
import { mutant, openSound, stories, subjectOn } from './archive-storage-stories.ts';
import { derived, type PortShape } from './derive.ts';
import type { MutantTable } from './mutant.ts';
import { harness } from './over-memory.ts';

const shape: PortShape<ArchiveStorage> = {
  code: 'storage_unavailable',
  methods: {
    put: {
      takes: { signal: 'signal' },
      clauses: [
        'unreachable put-again lets-go put-aborted put-whole put-as-staged aborted-on-the-way leftovers',
        'put-many put-prepared place-gone list-foreign read-owned',
      ],
      untested: 'caches',
    },
    read: {
      takes: { signal: 'signal' },
      clauses: 'unreachable read-outside read-range read-absent delete-twice lets-go read-aborted',
      untested: 'shares',
    },
    size: { takes: { signal: 'signal' }, clauses: 'unreachable size lets-go' },
    delete: {
      takes: { signal: 'signal' },
      clauses: 'unreachable delete-gone delete-twice lets-go delete-aborted',
      untested: 'shares',
    },
    list: {
      takes: { signal: 'signal' },
      early: { value: [] },
      clauses: 'unreachable list-walk lets-go list-aborted list-many',
    },
    check: { takes: { signal: 'signal' }, clauses: 'unreachable check lets-go check-leaves-nothing' },
  },
};

export const archiveStorageTable: MutantTable<ArchiveStorage, ArchiveStorageSubject> = {
  contract: archiveStorageContract,
  sound: () => openSound,
  mutants: [...harness(subjectOn), ...derived(shape, mutant), ...stories],
};
