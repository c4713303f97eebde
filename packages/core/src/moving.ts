export type {
  MovedName,
  MovedRecord,
  PublicationRecord,
} from './domain/record-lines.ts';
export type { Import } from './ports/import.ts';
export type { Snapshot } from './ports/snapshot.ts';
