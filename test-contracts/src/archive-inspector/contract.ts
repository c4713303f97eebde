import type { ArchiveInspector } from '@pinfold/core';
import { type Contract, toClauses } from '../contract.ts';
import { listClauses } from './list.ts';
import { proveClauses } from './prove.ts';
import type { ArchiveInspectorSubject } from './subject.ts';

/** The promises of {@link ArchiveInspector}. */
export const archiveInspectorContract: Contract<ArchiveInspector, ArchiveInspectorSubject> = {
  port: 'ArchiveInspector',
  harness: [],
  clauses: toClauses({ ...listClauses, ...proveClauses }),
};
