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
import { withCalls } from '@pinfold/core/adapter';

/** How the calls of one store are told. */
interface Told {
  readonly kind: SpanKind;
  readonly duration: Histogram;
  readonly store: string;
  attributesOf(operation: string): Attributes;
}

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

  /** A store of records (OpenTelemetry, "Semantic conventions for databases", stable). */
  database<Port extends object>(store: string, port: Port): Port {
    return this.#measured(port, {
      kind: SpanKind.CLIENT,
      duration: this.#database,
      store,
      attributesOf: (operation) => ({
        'db.system.name': this.#system,
        'db.collection.name': store,
        'db.operation.name': operation,
      }),
    });
  }

  /** What keeps archives, or uploads. */
  storage<Port extends object>(store: string, port: Port): Port {
    return this.#measured(port, {
      kind: SpanKind.INTERNAL,
      duration: this.#storage,
      store,
      attributesOf: (operation) => ({ 'pinfold.store': store, 'pinfold.operation': operation }),
    });
  }

  #measured<Port extends object>(port: Port, told: Told): Port {
    return withCalls(port, (operation, call) => {
      const attributes = told.attributesOf(operation);
      const name = `${operation} ${told.store}`;
      return (...inputs) => {
        const begun = performance.now();
        const outer = context.active();
        // What nobody has asked for, as a look at the health, would be a trace of its own each time.
        const span =
          trace.getSpan(outer) && this.#tracer.startSpan(name, { kind: told.kind, attributes }, outer);
        const within = span === undefined ? outer : trace.setSpan(outer, span);
        const answer = context.with(within, () => call(...inputs));
        if (!(answer instanceof Promise)) {
          span?.end();
          return answer;
        }
        const end = (error?: unknown): void => {
          const failure = failureOf(error);
          told.duration.record((performance.now() - begun) / 1_000, { ...attributes, ...failure }, within);
          if (span !== undefined) finish(span, failure);
        };
        answer.then(() => end(), end);
        return answer;
      };
    });
  }
}

function finish(span: Span, failure: Attributes): void {
  span.setAttributes(failure);
  if (failure['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function failureOf(error: unknown): Attributes {
  // Whoever breaks a call off has lost interest; the store has not failed.
  if (error === undefined || (error instanceof Error && error.name === 'AbortError')) return {};
  if (isFault(error)) return { 'error.type': error.code };
  return { 'error.type': error instanceof Error ? error.name : '_OTHER' };
}
