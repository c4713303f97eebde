import { duration } from '@pinfold/core';
import { expect } from 'chai';
import { toClauses } from '../contract.ts';
import { harnessClauses } from '../harness.ts';
import { changingClauses } from './api-changing.ts';
import { ApiClient, listIds, publishSite, readPin } from './api-client.ts';
import { generalClauses } from './api-general.ts';
import { idempotencyClauses } from './api-idempotency.ts';
import { nameClauses } from './api-names.ts';
import { orderClauses } from './api-order.ts';
import { publishingClauses } from './api-publishing.ts';
import { readingClauses } from './api-reading.ts';
import { refusalClauses } from './api-refusals.ts';
import type { HttpContract, HttpService, HttpSubject } from './subject.ts';

/** Clauses that check what the other clauses assume of a subject. */
export const httpHarness: HttpContract['harness'] = [
  ...harnessClauses<HttpService, HttpSubject>('http', {
    write: async (port, n) => {
      await publishSite(port, { key: `mark-${n}` });
    },
    sees: async (port, n) => (await listIds(port, `?idempotency_key=mark-${n}`)).length === 1,
  }),
  ...toClauses<HttpService, HttpSubject>({
    'http/harness-clock: the clock moves by the given duration, for the service and its peers': async (
      subject,
    ) => {
      const first = await publishSite(subject.port);
      await subject.port.advance(duration(3_600_000));
      const second = await publishSite(await subject.peer());
      const passed = Date.parse(second.published_at) - Date.parse(first.published_at);
      expect(passed).to.be.within(3_600_000, 3_660_000);
    },
    'http/harness-keys: the keys belong to two accounts, the read-only one to the first; pin and unpin reach its roles':
      async ({ port }) => {
        const pin = await publishSite(port);
        const { first, second, readOnly } = port.keys;
        const statuses = [first, second, readOnly].map(
          async (key) => (await new ApiClient(port, key).read(pin.id)).status,
        );
        expect(await Promise.all(statuses)).to.deep.equal([200, 404, 200]);
        await port.pin(pin.id);
        expect((await readPin(port, pin.id)).pinned).to.equal(true);
        await port.unpin(pin.id);
        expect((await readPin(port, pin.id)).pinned).to.equal(false);
      },
  }),
];

/** The promises of the API alone (docs/wire.md), for a service without a viewer. */
export const httpApiContract: HttpContract = {
  port: 'HttpApi',
  harness: httpHarness,
  clauses: toClauses({
    ...publishingClauses,
    ...refusalClauses,
    ...orderClauses,
    ...idempotencyClauses,
    ...readingClauses,
    ...changingClauses,
    ...nameClauses,
    ...generalClauses,
  }),
};
