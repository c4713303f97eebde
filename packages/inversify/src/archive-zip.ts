import { ZipArchiveInspector, type ZipArchiveInspectorOptions } from '@pinfold/archive-zip';
import { ContainerModule, type ServiceIdentifier } from 'inversify';
import { tokens } from './tokens.ts';

/** The inspector as the class it is, which can be closed. */
const zipInspector: ServiceIdentifier<ZipArchiveInspector> = Symbol('@pinfold/archive-zip inspector');

/** Binds `inspector`; `unbindAllAsync` ends its threads. */
export function archiveZipModule(options: ZipArchiveInspectorOptions = {}): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(zipInspector)
      .toResolvedValue(() => new ZipArchiveInspector(options))
      .inSingletonScope()
      .onDeactivation((inspector) => inspector.close());
    bind(tokens.inspector)
      .toResolvedValue((inspector) => inspector, [zipInspector])
      .inSingletonScope();
  });
}
