import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Attributes,
  type Counter,
  context,
  type Histogram,
  type Meter,
  type MeterProvider,
  metrics,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import { isFault, type Measurement, type Observe } from '@pinfold/core';
import type { Observer } from '@pinfold/core/adapter';
import { isPromise, nameOf } from '@pinfold/core/internal';
import { type AnsweredRequest, Requests } from './requests.ts';

const SCOPE = '@pinfold/opentelemetry';

/** The ports that are not a database. */
const STORAGE_PORTS: ReadonlySet<string> = new Set(['archives', 'staging', 'inspector']);

/** The boundaries that the conventions recommend for databases. */
const DATABASE_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** Options of {@link createTelemetry}. */
export interface TelemetryOptions {
  /** Creates spans. Default: the global provider, even if it is registered later. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Records metrics. Default: the global provider, which must be registered before. */
  readonly meterProvider?: MeterProvider | undefined;
  /** The name of the database in the conventions, such as `postgresql` or `sqlite`. Default: `other_sql`. */
  readonly database?: string | undefined;
  /** The scheme that clients use. Default: that of the connection, which is `http` behind a proxy. */
  readonly scheme?: 'http' | 'https' | undefined;
  /**
   * Whether to continue the `traceparent` of a client, which then chooses the trace's id and whether it is sampled.
   * Default: of all clients.
   */
  readonly trusts?: ((request: IncomingMessage) => boolean) | undefined;
}

/** Creates spans and metrics for Pinfold. Each member can be used without the others. */
export interface Telemetry {
  /**
   * Middleware, mounted before Pinfold's handlers: creates a server span for each request, as the parent of all that
   * it causes.
   */
  readonly requests: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
  /** Pass it to the handlers as `log`, or call it from your own log: names spans by their route. */
  readonly onRequest: (entry: AnsweredRequest, request: IncomingMessage) => void;
  /** Pass it to `createUseCases` as `observe`: counts publications and password tries. */
  readonly observe: Observe;
  /** Adds the current `traceparent` to the headers of a request to send. */
  readonly addHeaders: (headers: Record<string, string>) => void;
  /** Pass it to `instrument`: measures each call of a store, and creates a span for it below the request's. */
  readonly observer: Observer;
}

/**
 * Connects Pinfold to the OpenTelemetry SDK that the program has registered. Without an SDK it does nothing.
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
    requests: (request, response, next) => requests.start(request, response, next),
    onRequest: (entry, request) => requests.answered(entry, request),
    observe: recordMeasurements(meter),
    addHeaders: (headers) => propagation.inject(context.active(), headers),
    observer: storeObserver(tracer, meter, database),
  };
}

function recordMeasurements(meter: Meter): Observe {
  const counter = (name: string, unit: string, description: string): Counter =>
    meter.createCounter(`pinfold.${name}`, { description, unit });
  const duration = (name: string, description: string): Histogram =>
    meter.createHistogram(`pinfold.${name}.duration`, { description, unit: 's' });
  const publications = counter('publications', '{publication}', 'Publications, by outcome.');
  const tries = counter('password.tries', '{try}', 'Password tries for sites, by outcome.');
  const stages = duration('publish.stage', 'Duration of the stages of successful publications.');
  const sessionsEndedHelp = 'Sessions ended because a new one exceeded a limit.';
  const sessionsEnded = counter('sessions.ended', '{session}', sessionsEndedHelp);
  const sweeps = duration('sweep', 'Duration of sweeps.');
  const record: {
    readonly [Kind in Measurement['kind']]: (
      measurement: Extract<Measurement, { readonly kind: Kind }>,
    ) => void;
  } = {
    publish: ({ outcome }) => publications.add(1, { 'pinfold.outcome': outcome }),
    try: ({ outcome }) => tries.add(1, { 'pinfold.outcome': outcome }),
    stage: ({ took, stage }) => stages.record(took / 1_000, { 'pinfold.stage': stage }),
    sweep: ({ took }) => sweeps.record(took / 1_000),
    sessions_ended: ({ count, reason }) => sessionsEnded.add(count, { 'pinfold.reason': reason }),
  };
  return (measurement) => record[measurement.kind](measurement as never);
}

/**
 * Measures the calls of stores, and creates spans for those within a request. Calls of the database follow
 * OpenTelemetry's "Semantic conventions for databases" (stable).
 */
function storeObserver(tracer: Tracer, meter: Meter, system: string): Observer {
  const options = { unit: 's', advice: { explicitBucketBoundaries: DATABASE_BUCKETS } };
  const database = meter.createHistogram('db.client.operation.duration', {
    description: 'Duration of database client operations.',
    ...options,
  });
  const storage = meter.createHistogram('pinfold.storage.operation.duration', {
    description: 'Duration of calls to archives and uploads.',
    ...options,
  });
  return (call, operation, port) => {
    const isStorage = STORAGE_PORTS.has(port);
    const [kind, duration] = isStorage ? [SpanKind.INTERNAL, storage] : [SpanKind.CLIENT, database];
    const attributes: Attributes = isStorage
      ? { 'pinfold.store': port, 'pinfold.operation': operation }
      : { 'db.system.name': system, 'db.collection.name': port, 'db.operation.name': operation };
    return (...inputs) => {
      const startedAt = performance.now();
      const outer = context.active();
      // Outside of a request, such as in a health check, each call would become a trace of its own.
      const hasParent = trace.getSpan(outer) !== undefined;
      const span = hasParent
        ? tracer.startSpan(`${operation} ${port}`, { kind, attributes }, outer)
        : undefined;
      const spanContext = span === undefined ? outer : trace.setSpan(outer, span);
      const answer = context.with(spanContext, () => call(...inputs));
      const end = (error?: unknown): void => {
        const failure = errorAttributes(error);
        duration.record((performance.now() - startedAt) / 1_000, { ...attributes, ...failure }, spanContext);
        if (span !== undefined) endSpan(span, failure);
      };
      if (isPromise(answer)) answer.then(() => end(), end);
      else end();
      return answer;
    };
  };
}

function endSpan(span: Span, failure: Attributes): void {
  span.setAttributes(failure);
  if (failure['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function errorAttributes(error: unknown): Attributes {
  // An aborted call is not a failure of the store.
  if (error === undefined || nameOf(error) === 'AbortError') return {};
  if (isFault(error)) return { 'error.type': error.code };
  return { 'error.type': nameOf(error) ?? '_OTHER' };
}
