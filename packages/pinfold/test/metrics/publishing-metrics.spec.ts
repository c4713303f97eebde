import { type CheckRequest, Fault, type PublishRequest, type UseCases } from '@pinfold/core';
import { expect } from 'chai';
import { createPublishingMetrics } from '../../src/metrics/publishing-metrics.ts';
import { Registry } from '../../src/metrics/registry.ts';

describe('metrics of publications', () => {
  it('count a failed publication under the code of its fault, and do not count dry runs', async () => {
    const registry = new Registry();
    const fail = async () => {
      throw new Fault('publishing_overloaded', 'the queue is full');
    };
    const { countCalls, inProgress } = createPublishingMetrics(registry);
    const useCases = countCalls({ publish: fail, check: fail } as unknown as UseCases);
    await useCases.check({} as CheckRequest).catch(() => {});
    const readSeries = () => registry.snapshot().pinfold_publications_total?.series;
    expect(JSON.stringify(readSeries())).not.to.include('publishing_overloaded');
    await useCases.publish({} as PublishRequest).catch(() => {});
    expect(JSON.stringify(readSeries())).to.include('publishing_overloaded');
    expect(inProgress()).to.equal(0);
  });
});
