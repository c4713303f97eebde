export {
  type AttemptRefusal,
  type AttemptTally,
  refuseAttempt,
  UNSETTLED_AT_MOST,
} from './domain/attempts.ts';
export { readNames } from './domain/entry-names.ts';
export { archiveCreatedAt, archiveIdOf, parseArchiveId } from './domain/identity.ts';
export { type FilesByPath, type Resolution, resolve } from './domain/site.ts';
export { foldForSearch } from './domain/text.ts';
