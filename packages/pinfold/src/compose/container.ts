import 'reflect-metadata/lite';
import { observer, type Parts, tokens } from '@pinfold/inversify';
import { Container, type ContainerModule, type ServiceIdentifier } from 'inversify';
import type { Layer } from './compose.ts';

/**
 * Takes each part from a container, so that modules can replace or decorate it. Binds parts that no module has bound
 * to the service's own.
 */
export function createContainerLayer(
  modules: readonly ContainerModule[] = [],
): Layer & { container: Container } {
  const container = new Container();
  container.load(...modules);
  return {
    container,
    provide: (name, make) => {
      const identifier = tokens[name] as ServiceIdentifier<Parts[typeof name]>;
      if (!container.isBound(identifier)) {
        container.bind<unknown>(identifier).toResolvedValue(make).inSingletonScope();
      }
      return container.getAsync(identifier);
    },
    observers: () => (container.isBound(observer) ? container.getAll(observer) : []),
    close: () => container.unbindAllAsync(),
  };
}
