import type { Telemetry } from '@pinfold/opentelemetry';
import { ContainerModule } from 'inversify';
import { observer } from './tokens.ts';

/**
 * Measures the calls of stores, archives, uploads and the proof of archives, and shows them in the spans of the requests
 * that make them.
 *
 * @example
 * import { coreModule } from '@pinfold/inversify/core';
 * import { opentelemetryModule } from '@pinfold/inversify/opentelemetry';
 * import { createTelemetry } from '@pinfold/opentelemetry';
 * import { Container } from 'inversify';
 *
 * const container = new Container();
 * container.load(coreModule(), opentelemetryModule(createTelemetry({ database: 'sqlite' })));
 */
export function opentelemetryModule(telemetry: Pick<Telemetry, 'observer'>): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(observer).toConstantValue(telemetry.observer);
  });
}
