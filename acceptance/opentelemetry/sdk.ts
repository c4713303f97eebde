import { context, metrics, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { type OtlpReceiver, openOtlpReceiver } from './otlp-receiver.ts';

/** An SDK as teams register one, which exports to a receiver. */
export interface Sdk {
  readonly receiver: OtlpReceiver;
  /** Sends all that was gathered so far. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export async function registerSdk(): Promise<Sdk> {
  const receiver = await openOtlpReceiver();
  const spans = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter({ url: `${receiver.url}/v1/traces` }),
  });
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({
      url: `${receiver.url}/v1/metrics`,
      temporalityPreference: AggregationTemporality.DELTA,
    }),
    exportIntervalMillis: 3_600_000,
  });
  const tracers = new TracerProvider({ spanProcessors: [spans] });
  const meters = new MeterProvider({ readers: [reader] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(tracers);
  metrics.setGlobalMeterProvider(meters);
  return {
    receiver,
    flush: async () => {
      await Promise.all([spans.forceFlush(), reader.forceFlush()]);
    },
    close: async () => {
      for (const api of [context, propagation, trace, metrics]) api.disable();
      await Promise.all([tracers.shutdown(), meters.shutdown()]);
      await receiver.close();
    },
  };
}
