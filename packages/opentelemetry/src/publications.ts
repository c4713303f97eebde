import type { Meter } from '@opentelemetry/api';
import type { Measurement, Observe } from '@pinfold/core';

export function recordMeasurements(meter: Meter): Observe {
  const publications = meter.createCounter('pinfold.publications', {
    description: 'Publications, by what became of them.',
    unit: '{publication}',
  });
  const tries = meter.createCounter('pinfold.password.tries', {
    description: 'Tries of passwords of sites, by how they ended.',
    unit: '{try}',
  });
  const stages = meter.createHistogram('pinfold.publish.stage.duration', {
    description: 'How long the stages of publications took that ended well.',
    unit: 's',
  });
  const sessionsEnded = meter.createCounter('pinfold.sessions.ended', {
    description: 'Sessions ended because a new one exceeded a limit.',
    unit: '{session}',
  });
  const sweeps = meter.createHistogram('pinfold.sweep.duration', {
    description: 'How long sweeps took.',
    unit: 's',
  });
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
