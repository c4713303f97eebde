import { S3ArchiveStorage, type S3ArchiveStorageOptions } from '@pinfold/storage-s3';
import { ContainerModule } from 'inversify';
import { tokens } from './tokens.ts';

/** {@link S3ArchiveStorageOptions} without what the container knows. */
export type StorageS3ModuleOptions = Omit<S3ArchiveStorageOptions, 'clock'>;

/** Binds `archives` to objects of an S3-compatible store. The client stays the caller's to destroy. */
export function storageS3Module(options: StorageS3ModuleOptions): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(tokens.archives)
      .toResolvedValue((clock) => new S3ArchiveStorage({ ...options, clock }), [tokens.clock])
      .inSingletonScope();
  });
}
