import 'reflect-metadata/lite';
import { observer, tokens } from '@pinfold/inversify';
import { api, authenticate } from '@pinfold/inversify/http-express';
import { management } from '@pinfold/inversify/management';
import { viewer } from '@pinfold/inversify/viewer';
import { Container, type ContainerModule, type ServiceIdentifier } from 'inversify';
import type { Layer, ReplaceableParts } from './compose.ts';

const IDENTIFIERS: Readonly<Record<string, ServiceIdentifier>> = {
  ...tokens,
  api,
  authenticate,
  management,
  viewer,
};

export interface ContainerLayer extends Layer {
  readonly container: Container;
}

/**
 * A layer that takes each part from a container, so that modules replace or decorate it: what no module has bound is bound
 * to what the service makes by itself.
 */
export function containerLayer(modules: readonly ContainerModule[] = []): ContainerLayer {
  const container = new Container();
  container.load(...modules);
  return {
    container,
    provide: (name, make) => {
      const identifier = IDENTIFIERS[name] as ServiceIdentifier<ReplaceableParts[typeof name]>;
      if (!container.isBound(identifier)) {
        container.bind<unknown>(identifier).toResolvedValue(make).inSingletonScope();
      }
      return container.getAsync(identifier);
    },
    observers: () => (container.isBound(observer) ? container.getAll(observer) : []),
    close: () => container.unbindAllAsync(),
  };
}
