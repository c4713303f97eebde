import { createViewer, type Viewer, type ViewerOptions } from '@pinfold/viewer';
import { ContainerModule, type ServiceIdentifier } from 'inversify';
import { tokens } from './tokens.ts';

/** Shared URLs and sites, as a handler of requests. */
export const viewer: ServiceIdentifier<Viewer> = Symbol.for('@pinfold/viewer');

/** {@link ViewerOptions} without what the container knows. */
export type ViewerModuleOptions = Omit<ViewerOptions, 'useCases' | 'counter'>;

/** Binds {@link viewer}. Options known late, such as a free port's, are given as a function. */
export function viewerModule(options: ViewerModuleOptions | (() => ViewerModuleOptions)): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(viewer)
      .toResolvedValue(
        (useCases, counter) =>
          createViewer({ ...(typeof options === 'function' ? options() : options), useCases, counter }),
        [tokens.useCases, tokens.countedViews],
      )
      .inSingletonScope();
  });
}
