import { context, metrics, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { hrTimeToNanoseconds, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, InMemorySpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';

/** An SDK as teams register one, with exporters that store what they are given. */
export type Sdk = ReturnType<typeof registerSdk>;
/** A span as exporters send it. */
export type ExportedSpan = ReturnType<Sdk['spans']>[number];

export function registerSdk() {
  const stored = {
    spans: new InMemorySpanExporter(),
    points: new InMemoryMetricExporter(AggregationTemporality.DELTA),
  };
  const spans = new BatchSpanProcessor({ exporter: stored.spans });
  const reader = new PeriodicExportingMetricReader({
    exporter: stored.points,
    exportIntervalMillis: 3_600_000,
  });
  const tracers = new TracerProvider({ spanProcessors: [spans] });
  const meters = new MeterProvider({ readers: [reader] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(tracers);
  metrics.setGlobalMeterProvider(meters);
  return {
    spans: () =>
      stored.spans.getFinishedSpans().map((span) => ({
        name: span.name,
        kind: span.kind,
        traceId: span.spanContext().traceId,
        spanId: span.spanContext().spanId,
        parentSpanId: span.parentSpanContext?.spanId,
        nanoseconds: hrTimeToNanoseconds(span.duration),
        status: span.status,
        attributes: span.attributes,
      })),
    points: () => {
      const scopes = stored.points.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
      const all = scopes.flatMap((scope) => scope.metrics);
      return all.flatMap(({ descriptor, dataPoints }) =>
        dataPoints.map(({ value, attributes }) => ({
          metric: descriptor.name,
          unit: descriptor.unit,
          count: typeof value === 'number' ? value : value.count,
          bounds:
            typeof value === 'object' && 'buckets' in value && 'boundaries' in value.buckets
              ? value.buckets.boundaries
              : [],
          attributes,
        })),
      );
    },
    /** Exports all that was gathered so far. */
    flush: async () => {
      await Promise.all([spans.forceFlush(), reader.forceFlush()]);
    },
    forget: () => {
      for (const exporter of Object.values(stored)) exporter.reset();
    },
    close: async () => {
      for (const api of [context, propagation, trace, metrics]) api.disable();
      await Promise.all([tracers.shutdown(), meters.shutdown()]);
    },
  };
}
