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

/** The ports that are not a database. */
const STORAGE: ReadonlySet<string> = new Set(['archives', 'staging', 'inspector']);

/** The boundaries that the conventions recommend for databases. */
const BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/**
 * Measures the calls of stores, and creates spans for those within a request. Calls of the database follow
 * OpenTelemetry's "Semantic conventions for databases" (stable).
 */
export function storeObserver(tracer: Tracer, meter: Meter, system: string): Observer {
  const options = { unit: 's', advice: { explicitBucketBoundaries: BUCKETS } };
  const database = meter.createHistogram('db.client.operation.duration', {
    description: 'Duration of database client operations.',
    ...options,
  });
  const storage = meter.createHistogram('pinfold.storage.operation.duration', {
    description: 'Duration of calls to archives and uploads.',
    ...options,
  });
  return (call, operation, port) => {
    const isStorage = STORAGE.has(port);
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
