import {
  type Attributes,
  context,
  type Histogram,
  type Meter,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { isFault } from '@pinfold/core';
import type { Call, Observer } from '@pinfold/core/adapter';

/** The ports that are no database. */
const STORAGE: ReadonlySet<string> = new Set(['archives', 'staging', 'inspector']);

/** As the conventions advise for databases. */
const BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** Measures the calls of stores, and makes spans of those that a request makes. */
export class Stores {
  readonly #tracer: Tracer;
  readonly #system: string;
  readonly #database: Histogram;
  readonly #storage: Histogram;

  constructor(tracer: Tracer, meter: Meter, system: string) {
    this.#tracer = tracer;
    this.#system = system;
    const options = { unit: 's', advice: { explicitBucketBoundaries: BUCKETS } };
    this.#database = meter.createHistogram('db.client.operation.duration', {
      description: 'Duration of database client operations.',
      ...options,
    });
    this.#storage = meter.createHistogram('pinfold.storage.operation.duration', {
      description: 'Duration of what archives and uploads were asked for.',
      ...options,
    });
  }

  /** Stores of records follow OpenTelemetry's "Semantic conventions for databases" (stable). */
  readonly observer: Observer = (call, operation, port) =>
    STORAGE.has(port)
      ? this.#measured(call, `${operation} ${port}`, SpanKind.INTERNAL, this.#storage, {
          'pinfold.store': port,
          'pinfold.operation': operation,
        })
      : this.#measured(call, `${operation} ${port}`, SpanKind.CLIENT, this.#database, {
          'db.system.name': this.#system,
          'db.collection.name': port,
          'db.operation.name': operation,
        });

  #measured(call: Call, name: string, kind: SpanKind, duration: Histogram, attributes: Attributes): Call {
    return (...inputs) => {
      const begun = performance.now();
      const outer = context.active();
      // Without a request, such as a look at the health, each call would be a trace of its own.
      const span = trace.getSpan(outer) && this.#tracer.startSpan(name, { kind, attributes }, outer);
      const within = span === undefined ? outer : trace.setSpan(outer, span);
      const answer = context.with(within, () => call(...inputs));
      const end = (error?: unknown): void => {
        const failure = failureOf(error);
        duration.record((performance.now() - begun) / 1_000, { ...attributes, ...failure }, within);
        if (span !== undefined) finish(span, failure);
      };
      if (answer instanceof Promise) answer.then(() => end(), end);
      else end();
      return answer;
    };
  }
}

function finish(span: Span, failure: Attributes): void {
  span.setAttributes(failure);
  if (failure['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function failureOf(error: unknown): Attributes {
  // An aborted call is no failure of the store.
  if (error === undefined || (error instanceof Error && error.name === 'AbortError')) return {};
  if (isFault(error)) return { 'error.type': error.code };
  return { 'error.type': error instanceof Error ? error.name : '_OTHER' };
}
