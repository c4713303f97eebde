import type { Counter, Histogram, Meter } from '@opentelemetry/api';
import type { Measurement, Observe } from '@pinfold/core';

export function recordMeasurements(meter: Meter): Observe {
  const counter = (name: string, unit: string, description: string): Counter =>
    meter.createCounter(`pinfold.${name}`, { description, unit });
  const duration = (name: string, description: string): Histogram =>
    meter.createHistogram(`pinfold.${name}.duration`, { description, unit: 's' });
  const publications = counter('publications', '{publication}', 'Publications, by what became of them.');
  const tries = counter('password.tries', '{try}', 'Tries of passwords of sites, by how they ended.');
  const stages = duration('publish.stage', 'How long the stages of publications took that ended well.');
  const sessionsEndedHelp = 'Sessions ended because a new one exceeded a limit.';
  const sessionsEnded = counter('sessions.ended', '{session}', sessionsEndedHelp);
  const sweeps = duration('sweep', 'How long sweeps took.');
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
