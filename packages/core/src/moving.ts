export type * from './domain/records.ts';
export type * from './ports/import.ts';
export type * from './ports/snapshot.ts';
