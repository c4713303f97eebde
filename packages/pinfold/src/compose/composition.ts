import type { Container, ContainerModule } from 'inversify';
import type { Settings } from '../settings/settings.ts';
import { type ComposedService, type ComposeOptions, compose } from './compose.ts';

/** Options in code, beside the settings. */
export interface CompositionOptions extends ComposeOptions {
  /** Loaded into the container: a module that calls `rebind` puts an adapter of yours in the place of ours. */
  readonly modules?: readonly ContainerModule[];
}

/** The service without HTTP, over open stores, with all its parts in a container. */
export interface Composition extends Omit<ComposedService, 'provide'> {
  /** Holds the parts under the tokens of `@pinfold/inversify`. */
  readonly container: Container;
}

/**
 * Composes the service as the settings say: opens the stores and brings the database up to this release.
 *
 * @throws SettingsError when a setting cannot be carried out, a database that cannot be used among them; Fault when
 * another store cannot be opened.
 */
export async function openComposition(
  settings: Settings,
  { modules, ...options }: CompositionOptions = {},
): Promise<Composition> {
  const { containerLayer } = await import('./container.ts');
  const layer = containerLayer(modules);
  return { ...(await compose(settings, options, layer)), container: layer.container };
}
