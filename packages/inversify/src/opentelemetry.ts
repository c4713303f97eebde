import type { Telemetry } from '@pinfold/opentelemetry';
import { ContainerModule } from 'inversify';
import { observer } from './tokens.ts';

/**
 * Measures the calls of stores, archives, uploads and the proof of archives, and shows them in the spans of the requests
 * that make them.
 */
export function opentelemetryModule(telemetry: Pick<Telemetry, 'observer'>): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(observer).toConstantValue(telemetry.observer);
  });
}
