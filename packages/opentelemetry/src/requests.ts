import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Attributes,
  type Context,
  context,
  type Histogram,
  type Meter,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { isFault } from '@pinfold/core';
import type { TelemetryOptions } from './telemetry.ts';

/** The members of a log entry that a span needs. */
export interface AnsweredRequest {
  readonly route: string;
  readonly status: number;
  readonly outcome?: string;
  readonly error?: unknown;
}

interface RunningRequest {
  readonly span: Span;
  readonly context: Context;
  /** Whether the request is part of a server span that other code has created. */
  readonly isInner: boolean;
  readonly method: Attributes;
  readonly startedAt: number;
  answered?: AnsweredRequest;
}

const METHODS: ReadonlySet<string> = new Set(
  'CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT QUERY TRACE'.split(' '),
);

/** The boundaries that the conventions recommend. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Creates a span for each request and measures it (OpenTelemetry, "Semantic conventions for HTTP", stable). */
export class Requests {
  readonly #tracer: Tracer;
  readonly #duration: Histogram;
  readonly #options: TelemetryOptions;
  readonly #running: WeakMap<IncomingMessage, RunningRequest> = new WeakMap();

  constructor(tracer: Tracer, meter: Meter, options: TelemetryOptions) {
    this.#tracer = tracer;
    this.#options = options;
    this.#duration = meter.createHistogram('http.server.request.duration', {
      description: 'Duration of HTTP server requests.',
      unit: 's',
      advice: { explicitBucketBoundaries: BUCKETS },
    });
  }

  start(request: IncomingMessage, response: ServerResponse, next: () => void): void {
    const outer = context.active();
    const isInner = trace.getSpan(outer) !== undefined;
    const isTrusted = this.#options.trusts?.(request) ?? true;
    const parent = isInner || !isTrusted ? outer : propagation.extract(outer, request.headers);
    const method = this.#methodAttributes(request);
    const startedAt = performance.now();
    const kind = isInner ? SpanKind.INTERNAL : SpanKind.SERVER;
    const span = this.#tracer.startSpan(spanName(method), { kind, attributes: method }, parent);
    const running = { span, context: trace.setSpan(parent, span), isInner, method, startedAt };
    this.#running.set(request, running);
    response.once('close', () => {
      const ended = performance.now();
      // The handlers log the request at the same event, after this listener.
      setImmediate(() => this.#end(running, response, ended));
    });
    context.with(running.context, next);
  }

  answered(entry: AnsweredRequest, request: IncomingMessage): void {
    const running = this.#running.get(request);
    if (running !== undefined) running.answered = entry;
  }

  #methodAttributes({ method = '', socket }: IncomingMessage): Attributes {
    const scheme = this.#options.scheme ?? ('encrypted' in socket ? 'https' : 'http');
    const isKnown = METHODS.has(method);
    return { 'http.request.method': isKnown ? method : '_OTHER', 'url.scheme': scheme };
  }

  #end(
    { span, context: spanContext, isInner, method, startedAt, answered }: RunningRequest,
    response: ServerResponse,
    ended: number,
  ): void {
    const status = findStatus(response, answered);
    const route = answered === undefined || answered.route === 'none' ? undefined : answered.route;
    const error = findErrorType(status, answered);
    const attributes: Attributes = {
      ...method,
      ...(status === undefined ? {} : { 'http.response.status_code': status }),
      ...(route === undefined ? {} : { 'http.route': route }),
      ...(error === undefined ? {} : { 'error.type': error }),
    };
    if (!isInner) this.#duration.record((ended - startedAt) / 1_000, attributes, spanContext);
    span.updateName(route === undefined ? spanName(method) : `${spanName(method)} ${route}`);
    // A path contains a site's id, which is secret to people without its address, and in path mode a viewer's grant.
    span.setAttributes({ ...attributes, 'url.path': route?.startsWith('/') ? route : 'REDACTED' });
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(ended);
  }
}

function spanName(method: Attributes): string {
  const name = String(method['http.request.method']);
  return name === '_OTHER' ? 'HTTP' : name;
}

/** The status that handlers log for a client that has left. */
const CLIENT_GONE = 499;

/** The status that was sent. Prefers the handler's log entry, because frameworks replace `headersSent`. */
function findStatus(response: ServerResponse, answered: AnsweredRequest | undefined): number | undefined {
  if (answered !== undefined) return answered.status === CLIENT_GONE ? undefined : answered.status;
  return response.headersSent ? response.statusCode : undefined;
}

function findErrorType(
  status: number | undefined,
  answered: AnsweredRequest | undefined,
): string | undefined {
  if (status === undefined) return 'client_gone';
  if (status < 500) return undefined;
  if (isFault(answered?.error)) return answered.error.code;
  return answered?.outcome ?? String(status);
}
