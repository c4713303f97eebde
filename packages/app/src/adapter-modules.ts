import { join } from 'node:path';
import { storageFsModule } from '@pinfold/inversify/storage-fs';
import type { ContainerModule } from 'inversify';
import type { Settings } from './settings/settings.ts';
import { SettingsError } from './settings/settings-error.ts';

/**
 * The modules of the adapters that the settings name. An adapter is loaded only where it is used: the client of a
 * database or an object store costs as much time as all the rest of the start.
 *
 * @param dataDir the data folder's absolute path.
 */
export async function adapterModules(settings: Settings, dataDir: string): Promise<ContainerModule[]> {
  return [await persistenceModule(settings, dataDir), await storageModule(settings, dataDir)];
}

async function persistenceModule({ database }: Settings, dataDir: string): Promise<ContainerModule> {
  switch (database.kind) {
    case 'sqlite': {
      const { persistenceSqliteModule } = await import('@pinfold/inversify/persistence-sqlite');
      return persistenceSqliteModule({ file: join(dataDir, 'pinfold.sqlite') });
    }
    case 'postgres':
      throw new SettingsError('PINFOLD_DATABASE_URL', 'names PostgreSQL, which this release cannot use');
    default:
      return database satisfies never;
  }
}

async function storageModule({ storage }: Settings, dataDir: string): Promise<ContainerModule> {
  const staging = join(dataDir, 'staging');
  switch (storage.kind) {
    case 'files':
      return storageFsModule({ folder: join(dataDir, 'archives'), staging });
    case 's3':
      throw new SettingsError('PINFOLD_STORAGE_URL', 'names S3, which this release cannot use');
    default:
      return storage satisfies never;
  }
}
