import { expect } from 'chai';
import { Figures } from '../../src/metrics/registry.ts';
import { RequestFigures } from '../../src/metrics/request-figures.ts';

describe('the figures of requests', () => {
  let figures: Figures;
  let requests: RequestFigures;
  beforeEach(() => {
    figures = new Figures();
    requests = new RequestFigures(figures);
  });

  function take(route: string, method: string, status: number): void {
    const who = { role: null, requestId: '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20' };
    requests.take({ route, method, status, milliseconds: 1, ...who }, 0, 0);
  }

  it('name a fault that comes first after clients have been refused in every way there is', () => {
    const statuses = [400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 429, 431, 499];
    for (let route = 0; route < 40; route += 1) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        for (const status of statuses) take(`/route/${route}`, method, status);
      }
    }
    take('site', 'GET', 503);
    const told = figures.snapshot().pinfold_http_requests_total?.series;
    expect(told?.['route="site",method="GET",status="503"']).to.deep.equal([1]);
  });
});
