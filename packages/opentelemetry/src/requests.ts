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

interface Going {
  readonly span: Span;
  readonly context: Context;
  /** Whether its span is of something that others have made a server span of. */
  readonly inner: boolean;
  readonly method: Attributes;
  readonly begun: number;
  answered?: AnsweredRequest;
}

const METHODS: ReadonlySet<string> = new Set(
  'CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT QUERY TRACE'.split(' '),
);

/** As the conventions advise. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Makes a span of each request, and measures it (OpenTelemetry, "Semantic conventions for HTTP", stable). */
export class Requests {
  readonly #tracer: Tracer;
  readonly #duration: Histogram;
  readonly #options: TelemetryOptions;
  readonly #going: WeakMap<IncomingMessage, Going> = new WeakMap();

  constructor(tracer: Tracer, meter: Meter, options: TelemetryOptions) {
    this.#tracer = tracer;
    this.#options = options;
    this.#duration = meter.createHistogram('http.server.request.duration', {
      description: 'Duration of HTTP server requests.',
      unit: 's',
      advice: { explicitBucketBoundaries: BUCKETS },
    });
  }

  take(request: IncomingMessage, response: ServerResponse, next: () => void): void {
    const outer = context.active();
    const inner = trace.getSpan(outer) !== undefined;
    const trusted = this.#options.trusts?.(request) ?? true;
    const parent = inner || !trusted ? outer : propagation.extract(outer, request.headers);
    const method = this.#methodOf(request);
    const begun = performance.now();
    const kind = inner ? SpanKind.INTERNAL : SpanKind.SERVER;
    const span = this.#tracer.startSpan(nameOf(method), { kind, attributes: method }, parent);
    const going = { span, context: trace.setSpan(parent, span), inner, method, begun };
    this.#going.set(request, going);
    response.once('close', () => {
      const ended = performance.now();
      // Doors tell their log at the same event, after this.
      setImmediate(() => this.#end(going, response, ended));
    });
    context.with(going.context, next);
  }

  answered(entry: AnsweredRequest, request: IncomingMessage): void {
    const going = this.#going.get(request);
    if (going !== undefined) going.answered = entry;
  }

  #methodOf({ method = '', socket }: IncomingMessage): Attributes {
    const scheme = this.#options.scheme ?? ('encrypted' in socket ? 'https' : 'http');
    const known = METHODS.has(method);
    return { 'http.request.method': known ? method : '_OTHER', 'url.scheme': scheme };
  }

  #end(
    { span, context: within, inner, method, begun, answered }: Going,
    response: ServerResponse,
    ended: number,
  ): void {
    const status = statusOf(response, answered);
    const route = answered === undefined || answered.route === 'none' ? undefined : answered.route;
    const error = errorOf(status, answered);
    const attributes: Attributes = {
      ...method,
      ...(status === undefined ? {} : { 'http.response.status_code': status }),
      ...(route === undefined ? {} : { 'http.route': route }),
      ...(error === undefined ? {} : { 'error.type': error }),
    };
    if (!inner) this.#duration.record((ended - begun) / 1_000, attributes, within);
    span.updateName(route === undefined ? nameOf(method) : `${nameOf(method)} ${route}`);
    // A path has the id of a site that only those may know who have its address, and in path mode a viewer's grant.
    span.setAttributes({ ...attributes, 'url.path': route?.startsWith('/') ? route : 'REDACTED' });
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(ended);
  }
}

function nameOf(method: Attributes): string {
  const name = String(method['http.request.method']);
  return name === '_OTHER' ? 'HTTP' : name;
}

/** A client's mistake is not an error of the server. */
const CLIENT_GONE = 499;

/** The status that was sent. A door remembers it; frameworks replace `headersSent` of a response. */
function statusOf(response: ServerResponse, answered: AnsweredRequest | undefined): number | undefined {
  if (answered !== undefined) return answered.status === CLIENT_GONE ? undefined : answered.status;
  return response.headersSent ? response.statusCode : undefined;
}

function errorOf(status: number | undefined, answered: AnsweredRequest | undefined): string | undefined {
  if (status === undefined) return 'client_gone';
  if (status < 500) return undefined;
  if (isFault(answered?.error)) return answered.error.code;
  return answered?.outcome ?? String(status);
}
