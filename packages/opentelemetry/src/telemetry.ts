import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  context,
  type MeterProvider,
  metrics,
  propagation,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import type { Observe } from '@pinfold/core';
import type { Observer } from '@pinfold/core/adapter';
import { recordMeasurements } from './publications.ts';
import { type AnsweredRequest, Requests } from './requests.ts';
import { storeObserver } from './stores.ts';

/** Options of {@link createTelemetry}. */
export interface TelemetryOptions {
  /** Makes spans. Default: the global one, even if it is registered later. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Records metrics. Default: the global one, which must be registered before. */
  readonly meterProvider?: MeterProvider | undefined;
  /** The name of the database in the conventions: `postgresql`, `sqlite`. Default: `other_sql`. */
  readonly database?: string | undefined;
  /** The scheme that clients use; that of the connection when absent, which is `http` behind a proxy. */
  readonly scheme?: 'http' | 'https' | undefined;
  /**
   * The clients whose `traceparent` is continued; all when absent. These clients choose the trace's id and whether it is
   * sampled.
   */
  readonly trusts?: ((request: IncomingMessage) => boolean) | undefined;
}

/** Makes spans and metrics of what Pinfold does; each part may be used without the others. */
export interface Telemetry {
  /** Mounted before the doors: makes a server span of each request, in which all that it causes happens. */
  readonly requests: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
  /** Given to the doors as `log`, or called by yours: names spans by their route. */
  readonly onRequest: (entry: AnsweredRequest, request: IncomingMessage) => void;
  /** Given to `createUseCases` as `observe`: counts publications and tries of passwords. */
  readonly observe: Observe;
  /** Adds the `traceparent` of what is going on to the headers of a request that is about to be sent. */
  readonly addHeaders: (headers: Record<string, string>) => void;
  /** Given to `instrument`: measures each call of a store, and makes a span of it below that of the request. */
  readonly observer: Observer;
}

const SCOPE = '@pinfold/opentelemetry';

/**
 * Connects Pinfold with an OpenTelemetry SDK that the program has registered. Without one it does nothing.
 *
 * @example
 * import { instrument } from '@pinfold/core/adapter';
 * import { createMemory } from '@pinfold/memory';
 * import { createTelemetry } from '@pinfold/opentelemetry';
 *
 * const { observer } = createTelemetry();
 * const { roles, archives } = instrument(createMemory(), [observer]);
 */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  const { tracerProvider = trace, meterProvider = metrics, database = 'other_sql' } = options;
  const tracer = tracerProvider.getTracer(SCOPE);
  const meter = meterProvider.getMeter(SCOPE);
  const requests = new Requests(tracer, meter, options);
  return {
    requests: (request, response, next) => requests.take(request, response, next),
    onRequest: (entry, request) => requests.answered(entry, request),
    observe: recordMeasurements(meter),
    addHeaders: (headers) => propagation.inject(context.active(), headers),
    observer: storeObserver(tracer, meter, database),
  };
}
