import type { AttemptCounter } from '@pinfold/core';
import type { ClauseTable } from '../contract.ts';
import { limitClauses } from './limits.ts';
import { underWayClauses } from './under-way.ts';

export const attemptClauses: ClauseTable<AttemptCounter> = { ...limitClauses, ...underWayClauses };
