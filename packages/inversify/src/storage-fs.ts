import { type FsStaging, openFsArchiveStorage, openFsStaging } from '@pinfold/storage-fs';
import { ContainerModule, type ContainerModuleLoadOptions, type ServiceIdentifier } from 'inversify';
import { tokens } from './tokens.ts';

/** What {@link storageFsModule} needs. */
export interface StorageFsModuleOptions {
  /** The folder of archives. */
  readonly folder: string;
  /** The folder of uploads until they are stored; on the same volume. */
  readonly staging: string;
}

/** The staging as the class it is: storing a file needs to know its folder. */
const fsStaging: ServiceIdentifier<FsStaging> = Symbol('@pinfold/storage-fs staging');

/** Binds `archives`, stored as files, and `staging`. Both folders are opened by the first `getAsync`. */
export function storageFsModule({ folder, staging }: StorageFsModuleOptions): ContainerModule {
  return new ContainerModule((options) => {
    bindStaging(options, staging);
    options
      .bind(tokens.archives)
      .toResolvedValue(
        (clock, opened) => openFsArchiveStorage({ folder, staging: opened, clock }),
        [tokens.clock, fsStaging],
      )
      .inSingletonScope();
  });
}

/** Binds `staging` alone, for archives that are stored elsewhere. */
export function stagingFsModule({ staging }: Pick<StorageFsModuleOptions, 'staging'>): ContainerModule {
  return new ContainerModule((options) => bindStaging(options, staging));
}

function bindStaging({ bind }: ContainerModuleLoadOptions, folder: string): void {
  bind(fsStaging)
    .toResolvedValue((clock) => openFsStaging({ folder, clock }), [tokens.clock])
    .inSingletonScope();
  bind(tokens.staging)
    .toResolvedValue((opened) => opened, [fsStaging])
    .inSingletonScope();
}
