export {
  FsArchiveStorage,
  type FsArchiveStorageOptions,
  openFsArchiveStorage,
} from './fs-archive-storage.ts';
export { FsStaging, type FsStagingOptions, openFsStaging } from './fs-staging.ts';
