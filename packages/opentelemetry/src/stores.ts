import {
  type Attributes,
  context,
  type Meter,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { isFault } from '@pinfold/core';
import type { Observer } from '@pinfold/core/adapter';
import { isPromise, nameOf } from '@pinfold/core/internal';

/** The ports that are no database. */
const STORAGE: ReadonlySet<string> = new Set(['archives', 'staging', 'inspector']);

/** As the conventions advise for databases. */
const BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/**
 * Measures the calls of stores, and makes spans of those that a request makes. Stores of records follow OpenTelemetry's
 * "Semantic conventions for databases" (stable).
 */
export function storeObserver(tracer: Tracer, meter: Meter, system: string): Observer {
  const options = { unit: 's', advice: { explicitBucketBoundaries: BUCKETS } };
  const database = meter.createHistogram('db.client.operation.duration', {
    description: 'Duration of database client operations.',
    ...options,
  });
  const storage = meter.createHistogram('pinfold.storage.operation.duration', {
    description: 'Duration of what archives and uploads were asked for.',
    ...options,
  });
  return (call, operation, port) => {
    const isStorage = STORAGE.has(port);
    const [kind, duration] = isStorage ? [SpanKind.INTERNAL, storage] : [SpanKind.CLIENT, database];
    const attributes: Attributes = isStorage
      ? { 'pinfold.store': port, 'pinfold.operation': operation }
      : { 'db.system.name': system, 'db.collection.name': port, 'db.operation.name': operation };
    return (...inputs) => {
      const begun = performance.now();
      const outer = context.active();
      // Without a request, such as a look at the health, each call would be a trace of its own.
      const isWithin = trace.getSpan(outer) !== undefined;
      const span = isWithin
        ? tracer.startSpan(`${operation} ${port}`, { kind, attributes }, outer)
        : undefined;
      const within = span === undefined ? outer : trace.setSpan(outer, span);
      const answer = context.with(within, () => call(...inputs));
      const end = (error?: unknown): void => {
        const failure = failureOf(error);
        duration.record((performance.now() - begun) / 1_000, { ...attributes, ...failure }, within);
        if (span !== undefined) finish(span, failure);
      };
      if (isPromise(answer)) answer.then(() => end(), end);
      else end();
      return answer;
    };
  };
}

function finish(span: Span, failure: Attributes): void {
  span.setAttributes(failure);
  if (failure['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function failureOf(error: unknown): Attributes {
  // An aborted call is no failure of the store.
  if (error === undefined || nameOf(error) === 'AbortError') return {};
  if (isFault(error)) return { 'error.type': error.code };
  return { 'error.type': nameOf(error) ?? '_OTHER' };
}
