// What commands say of refusals. Loads no more of the doors, so that commands start fast.

export type { WireError } from '../wire/problem.ts';
export { problemOf, refuseRequest } from './problem.ts';
export { archiveError, type WireWarning, wireWarnings } from './problem-details.ts';
export { isWireCode } from './problem-table.ts';
export { refusedBy } from './state-refusal.ts';
