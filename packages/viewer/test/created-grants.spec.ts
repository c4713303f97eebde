import { accountId, minutes } from '@pinfold/core';
import { apiKeyAuthentication, createApi } from '@pinfold/http-express';
import { createMemory, type Memory } from '@pinfold/memory';
import { expect } from 'chai';
import express from 'express';
import { contractKeys, openService, type TestService } from 'pinfold-test-servers/service';
import { createViewer, type ViewerOptions } from '../src/index.ts';
import { zip } from './zip.ts';

const FIRST = accountId('first');

describe('grants by the API', () => {
  let service: TestService<Memory>;
  let create: () => Promise<{ readonly status: number; readonly code: string; readonly detail: string }>;
  afterEach(() => service.close());

  async function open(differing: Partial<ViewerOptions> = {}): Promise<void> {
    service = await openService(createMemory(), ({ useCases, keys, publicPort }) => {
      const publicUrl = `http://127.0.0.1:${publicPort}`;
      const { createGrant } = createViewer({ useCases, publicUrl, ...differing });
      const requestRate = { count: 20, window: minutes(1) };
      const authenticate = apiKeyAuthentication(keys);
      return express().use(createApi({ useCases, createGrant, requestRate, publicUrl, authenticate }));
    });
    const { first } = await contractKeys(service.keys);
    const { id } = await service.publish(zip({ 'index.html': 'x' }), { by: 'first' });
    await service.useCases.update({ by: FIRST, id }, { type: 'set_password', password: 'open sesame' });
    create = async () => {
      const url = `http://127.0.0.1:${service.port}/api/v1/pins/${id}/grants`;
      const answer = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${first}` } });
      const { code, detail } = (await answer.json()) as { code: string; detail: string };
      return { status: answer.status, code, detail };
    };
  }

  it('cost as much as a change', async () => {
    await open();
    const statuses = [await create(), await create(), await create()].map(({ status }) => status);
    expect(statuses).to.deep.equal([201, 201, 429]);
  });

  it('are refused if the embedding team decides who may view sites', async () => {
    const access = { identify: () => 'ada', mayView: () => 'yes' as const };
    await open({ access });
    const answer = await create();
    expect(answer).to.include({ status: 403, code: 'forbidden' });
    expect(answer.detail).to.include('shared URL');
    const { createGrant } = createViewer({
      useCases: service.useCases,
      publicUrl: 'https://x.example',
      access,
    });
    const refused = await createGrant({ by: FIRST, id: 'any' } as Parameters<typeof createGrant>[0]);
    expect(refused).to.deep.equal({ kind: 'refused', code: 'forbidden' });
  });
});
