import type { ArchiveStorage } from '@pinfold/core';
import { type ArchiveStorageSubject, archiveStorageContract } from '@pinfold/test-contracts';
import { placeStories } from './archive-storage-place.ts';
import { mutant, openSound, stories, subjectOn } from './archive-storage-stories.ts';
import { derived, type PortShape } from './derive.ts';
import type { MutantTable } from './mutant.ts';
import { harness } from './over-memory.ts';

const shape: PortShape<ArchiveStorage> = {
  code: 'storage_unavailable',
  methods: {
    put: {
      takes: { id: 'uuid', archive: { size: 'size' }, signal: 'signal' },
      clauses: [
        'unreachable put-again lets-go put-aborted put-whole put-as-staged aborted-on-the-way leftovers',
      ],
      untested: 'caches takes.archive.size.wrapped',
    },
    read: {
      takes: { id: 'uuid', from: 'size', length: 'size', signal: 'signal' },
      answers: 'bytes',
      clauses: 'unreachable read-outside read-range read-absent delete-twice lets-go read-aborted',
      untested: 'shares',
    },
    size: {
      takes: { id: 'uuid', signal: 'signal' },
      answers: 'size',
      clauses: 'unreachable size lets-go',
      untested: 'answers.wrapped',
    },
    delete: {
      takes: { id: 'uuid', signal: 'signal' },
      clauses: 'unreachable delete-gone delete-twice lets-go delete-aborted',
      untested: 'shares',
    },
    list: {
      takes: { after: 'uuid', limit: 'count', signal: 'signal' },
      answers: ['uuid'],
      clauses: 'unreachable list-walk lets-go list-aborted list-many',
      untested: 'answers.list-first',
    },
    check: {
      takes: { signal: 'signal' },
      clauses: 'unreachable check lets-go check-leaves-nothing',
    },
  },
  confusions: { clauses: 'list-walk' },
};

export const archiveStorageTable: MutantTable<ArchiveStorage, ArchiveStorageSubject> = {
  contract: archiveStorageContract,
  sound: () => openSound,
  mutants: [...harness(subjectOn), ...derived(shape, mutant), ...stories, ...placeStories],
};
