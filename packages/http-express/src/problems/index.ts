// The texts of refusals, for commands. Loads nothing else of the doors, so that commands start fast.

export type { WireError } from '../wire/problem.ts';
export { problemOf, refuseRequest } from './problem.ts';
export { archiveError, type WireWarning, wireWarnings } from './problem-details.ts';
export { isWireCode } from './problem-table.ts';
export { refusedBy } from './state-refusal.ts';
