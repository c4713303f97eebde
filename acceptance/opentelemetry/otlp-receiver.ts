import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

type Value = { readonly stringValue?: string; readonly intValue?: number };
type Attributes = readonly { readonly key: string; readonly value: Value }[];

/** A span as it came over the wire. */
export interface ReceivedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number };
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
}

/** A data point of a metric as it came over the wire. */
export interface ReceivedPoint {
  readonly metric: string;
  readonly unit: string;
  readonly count: number;
  readonly bounds: readonly number[];
  readonly attributes: ReceivedSpan['attributes'];
}

interface Point {
  readonly count?: number;
  readonly asDouble?: number;
  readonly asInt?: number;
  readonly explicitBounds?: readonly number[];
  readonly attributes: Attributes;
}

interface Traces {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, 'attributes'> & { readonly attributes: Attributes })[];
    }[];
  }[];
}

interface Metrics {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly {
      readonly metrics: readonly {
        readonly name: string;
        readonly unit: string;
        readonly histogram?: { readonly dataPoints: readonly Point[] };
        readonly sum?: { readonly dataPoints: readonly Point[] };
      }[];
    }[];
  }[];
}

/** Takes what exporters send by OTLP over HTTP, in JSON. */
export interface OtlpReceiver {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  readonly points: ReceivedPoint[];
  /** All that came, as text. */
  text(): string;
  forget(): void;
  close(): Promise<void>;
}

export async function openOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const points: ReceivedPoint[] = [];
  const server = createServer(async (request, response) => {
    const body = await json(request);
    if (request.url === '/v1/traces') spans.push(...spansIn(body as Traces));
    if (request.url === '/v1/metrics') points.push(...pointsIn(body as Metrics));
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    points,
    text: () => JSON.stringify([spans, points]),
    forget: () => {
      spans.length = 0;
      points.length = 0;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function spansIn({ resourceSpans }: Traces): readonly ReceivedSpan[] {
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map((span) => ({ ...span, attributes: valuesOf(span.attributes) }));
}

function pointsIn({ resourceMetrics }: Metrics): readonly ReceivedPoint[] {
  const metrics = resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap((scope) => scope.metrics),
  );
  return metrics.flatMap(({ name: metric, unit, histogram, sum }) =>
    (histogram ?? sum ?? { dataPoints: [] }).dataPoints.map(
      ({ count, asDouble, asInt, explicitBounds = [], attributes }) => ({
        metric,
        unit,
        count: Number(count ?? asDouble ?? asInt),
        bounds: explicitBounds,
        attributes: valuesOf(attributes),
      }),
    ),
  );
}

function valuesOf(attributes: Attributes): ReceivedSpan['attributes'] {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? (value.intValue && Number(value.intValue)),
    ]),
  );
}
