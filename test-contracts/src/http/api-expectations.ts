import { expect } from 'chai';
import { ApiClient, type PublishRequest } from './api-client.ts';
import type { ApiAnswer, WirePin } from './api-exchange.ts';
import { siteZip } from './sites.ts';
import type { HttpService } from './subject.ts';

export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

export function expectProblem(answer: ApiAnswer, status: number, code: string, what?: string): void {
  expect(`${answer.status} ${answer.body.code}`, what).to.equal(`${status} ${code}`);
}

/** Publishes a site of one page; fails unless that succeeds. */
export async function publishSite(service: HttpService, fields: PublishRequest = {}): Promise<WirePin> {
  const archive = fields.archive ?? siteZip();
  const answer = await new ApiClient(service).publish({ archive, ...fields });
  expect(answer.status, answer.text).to.equal(201);
  return answer.body.pin;
}

/** Reads a role of the first account, which must exist. */
export async function readPin(service: HttpService, id: string): Promise<WirePin> {
  const answer = await new ApiClient(service).read(id);
  expect(answer.status, answer.text).to.equal(200);
  return answer.body.pin;
}

/** All roles of the first account that a list without a state contains. */
export async function listIds(service: HttpService, query = '?limit=100'): Promise<readonly string[]> {
  const answer = await new ApiClient(service).get(`/api/v1/pins${query}`);
  expect(answer.status, answer.text).to.equal(200);
  return answer.body.pins.map(({ id }) => id);
}
